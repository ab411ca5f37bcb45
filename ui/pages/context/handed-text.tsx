import { useMemo } from "react"
import { Link } from "wouter"
import type { ContextAnswer } from "../../../src/recall/browse/app-api.ts"
import { TypeBadge } from "../../parts/badge.tsx"
import { EmptyState } from "../../parts/empty-state.tsx"
import { itemHref } from "../../parts/item-href.ts"
import { SignalTable } from "./signal-table.tsx"
import { type Piece, takeApart } from "./take-apart.ts"

/** The text as the agent reads it, with what each item costs and why it is in beside its lines. */
export function HandedText({ answer }: { answer: ContextAnswer }) {
  const pieces = useMemo(() => takeApart(answer), [answer])
  if (pieces.length === 0)
    return <EmptyState title="The context is empty." hint="The team's memory is empty, or the budget is too small." />
  return (
    <div className="handed">
      {pieces.map((piece, at) =>
        piece.kind === "item" ? (
          <HandedItem key={piece.item.id} piece={piece} />
        ) : (
          <pre key={`frame ${at}`} className="handed-frame">
            {piece.text}
          </pre>
        ),
      )}
    </div>
  )
}

function HandedItem({ piece: { text, item, why } }: { piece: Piece & { kind: "item" } }) {
  return (
    <article className="handed-item" data-lane={item.lane} aria-label={item.title}>
      <header className="handed-head">
        <TypeBadge type={item.kind} />
        <Link className="handed-title" href={itemHref(item.id)}>
          {item.title}
        </Link>
        <span className="handed-tokens">{item.tokens} tokens</span>
      </header>
      <p className="handed-why">
        <span className="handed-because">Included because:</span> {item.reason}
      </p>
      <pre className="handed-text">{text}</pre>
      <SignalTable why={why} />
    </article>
  )
}
