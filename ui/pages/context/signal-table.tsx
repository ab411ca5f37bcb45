import { describeSignal } from "./describe-signal.ts"
import type { Explained } from "./take-apart.ts"

/** The numbers behind an item's place, on demand. */
export function SignalTable({ why }: { why: Explained }) {
  const rows = [
    describeSignal("relevance", why.relevance),
    ...why.signals.map(({ name, value }) => describeSignal(name, value)),
    describeSignal("score", why.score),
  ]
  return (
    <details className="signals">
      <summary>
        Signals<span className="for-readers"> of {why.title}</span>
      </summary>
      <table className="signal-table">
        <thead className="for-readers">
          <tr>
            <th scope="col">Signal</th>
            <th scope="col">Value</th>
            <th scope="col">What it means</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, value, hint }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="signal-value">{value}</td>
              <td className="signal-hint">{hint}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
