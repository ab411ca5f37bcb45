import { Link } from "wouter"
import type { ContextAnswer } from "../../../src/recall/browse/app-api.ts"
import { EmptyState } from "../../parts/empty-state.tsx"
import { itemHref } from "../../parts/item-href.ts"
import { SignalTable } from "./signal-table.tsx"
import type { Explained } from "./take-apart.ts"

/** What was considered and left out: first what a larger budget would include, then what is superseded or not relevant. */
export function LeftOut({ answer }: { answer: ContextAnswer }) {
  const explained = new Map(answer.explanation.map((each) => [each.id, each]))
  const left = answer.left.flatMap(({ id }) => explained.get(id) ?? [])
  if (left.length === 0) return <EmptyState title="Nothing was left out." />
  const groups = [
    { title: "Did not fit the budget", items: left.filter(({ lane }) => lane !== null) },
    { title: "Not relevant enough", items: left.filter(({ lane }) => lane === null) },
  ]
  const others = answer.explanation.length - answer.included.length - left.length
  return (
    <div className="left-out">
      {groups.map(({ title, items }) =>
        items.length === 0 ? null : (
          <section key={title} className="left-group">
            <h2>
              {title} <span className="left-count">{items.length}</span>
            </h2>
            <ul>
              {items.map((item) => (
                <LeftItem key={item.id} item={item} />
              ))}
            </ul>
          </section>
        ),
      )}
      {others > 0 ? (
        <p className="left-others">{others.toLocaleString("en")} more are less relevant than these.</p>
      ) : null}
    </div>
  )
}

function LeftItem({ item }: { item: Explained }) {
  return (
    <li className="left-item">
      <div className="handed-head">
        <Link className="handed-title" href={itemHref(item.id)}>
          {item.title}
        </Link>
        {item.tokens === null ? null : <span className="handed-tokens">{item.tokens} tokens</span>}
      </div>
      <p className="handed-why">
        <span className="handed-because">Out because:</span> {item.reason}
      </p>
      <SignalTable why={item} />
    </li>
  )
}
