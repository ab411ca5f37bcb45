import type { ContextAnswer } from "../../../src/recall/browse/app-api.ts"
import { type LaneId, lanes, tokensByLane } from "./lanes.ts"

/** How the budget is used: a bar, and the same as a table. */
export function BudgetUse({ answer }: { answer: ContextAnswer }) {
  const used = tokensByLane(answer)
  const { tokens, budget } = answer
  const whole = Math.max(budget, tokens, 1)
  const shown = lanes.filter(({ id }) => used[id] > 0)
  return (
    <section className="budget-use" aria-label="How the budget is used">
      <p className="budget-total">
        <strong>{tokens.toLocaleString("en")}</strong> of {budget.toLocaleString("en")} tokens used
      </p>
      <div className="budget-bar" aria-hidden>
        {shown.map(({ id }) => (
          <span key={id} className="budget-part" data-lane={id} style={{ width: `${(used[id] / whole) * 100}%` }} />
        ))}
      </div>
      <table className="budget-table">
        <caption className="for-readers">Tokens by part of the context</caption>
        <thead className="for-readers">
          <tr>
            <th scope="col">Part</th>
            <th scope="col">Items</th>
            <th scope="col">Tokens</th>
          </tr>
        </thead>
        <tbody>
          {lanes.map(({ id, name, hint }) => (
            <tr key={id} data-unused={used[id] === 0 || undefined}>
              <th scope="row" title={hint}>
                <span className="budget-key" data-lane={id} aria-hidden /> {name}
              </th>
              <td>{countOf(answer, id)}</td>
              <td>{used[id].toLocaleString("en")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function countOf({ explanation }: ContextAnswer, lane: LaneId): string {
  if (lane === "frame") return ""
  const count = explanation.filter((each) => each.kept && each.lane === lane).length
  return count === 1 ? "1 item" : `${count} items`
}
