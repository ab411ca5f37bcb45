import { memo } from "react"
import type { Row } from "../../../src/recall/browse/app-api.ts"
import { ItemRowContent } from "../../parts/item-row.tsx"

type Properties = {
  /** Undefined while it is fetched. */
  row: Row | undefined
  index: number
  total: number
  top: number
  height: number
  isSelected: boolean
  hasCursor: boolean
  onChoose: (index: number, id: string) => void
}

/** One row of the results; rendered again only when its content changes, since every keystroke searches. */
export const ResultRow = memo(function ResultRow(properties: Properties) {
  const { row, index, total, top, height, isSelected, hasCursor, onChoose } = properties
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list box has the focus and takes the keys
    <div
      id={`result-${index}`}
      role="option"
      tabIndex={-1}
      aria-selected={isSelected}
      aria-posinset={index + 1}
      aria-setsize={total}
      data-cursor={hasCursor || undefined}
      className="item-row result-row"
      style={{ height, transform: `translateY(${top}px)` }}
      onClick={() => (row ? onChoose(index, row.id) : undefined)}
    >
      {row ? <ItemRowContent row={row} /> : <span className="skeleton-line" />}
    </div>
  )
})
