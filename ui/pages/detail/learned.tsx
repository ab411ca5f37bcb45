import type { LearnedDetail } from "../../../src/recall/browse/app-api.ts"
import { Panel } from "../../parts/panel.tsx"
import { Time } from "../../parts/time.tsx"

/** How a learned memory has done, and what would become of it. */
export function Learned({ learned }: { learned: LearnedDetail }) {
  const { kind, tier, confidence, polarity, metrics, outlook, history } = learned
  return (
    <Panel title="Track record">
      <dl className="metrics">
        <Metric name="kind" value={polarity === -1 ? `${kind}, a warning` : kind} />
        <Metric name="tier" value={tier} />
        <Metric name="confidence" value={`${Math.round(confidence * 100)} %`} />
        {metrics.map(({ name, value }) => (
          <Metric key={name} name={name} value={value} />
        ))}
      </dl>
      {outlook.length > 0 ? (
        <ul className="outlook">
          {outlook.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      ) : null}
      {history.length > 0 ? (
        <ol className="learned-history" aria-label="What became of it">
          {history.map(({ at, action, reason }) => (
            <li key={`${at} ${action}`}>
              <Time at={at} /> <strong>{action}</strong> {reason}
            </li>
          ))}
        </ol>
      ) : null}
    </Panel>
  )
}

function Metric({ name, value }: { name: string; value: string }) {
  return (
    <div className="metric">
      <dt>{name}</dt>
      <dd>{/^\d{4}-\d\d-\d\dT/.test(value) ? <Time at={value} /> : value}</dd>
    </div>
  )
}
