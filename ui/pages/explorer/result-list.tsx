import { useVirtualizer } from "@tanstack/react-virtual"
import { type RefObject, useEffect, useRef } from "react"
import { EmptyState } from "../../parts/empty-state.tsx"
import { ItemRowContent } from "../../parts/item-row.tsx"
import { Problem } from "../../parts/problem.tsx"
import { Skeleton } from "../../parts/skeleton.tsx"
import { useCursor } from "./use-cursor.ts"
import type { Results } from "./use-results.ts"

const rowHeight = 76

type Properties = {
  listRef: RefObject<HTMLDivElement | null>
  results: Results
  selected: string | null
  /** Moving shows the item at once, where there is room for it beside the list. */
  followsCursor: boolean
  onSelect: (id: string) => void
  onOpen: (id: string) => void
}

export function ResultList({ listRef, results, selected, followsCursor, onSelect, onOpen }: Properties) {
  const { total, rowAt, show } = results
  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => listRef.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  })
  const visible = virtualizer.getVirtualItems()
  const first = visible[0]?.index ?? 0
  const last = visible.at(-1)?.index ?? 0
  useEffect(() => show(first, last), [show, first, last])

  const { cursor, setCursor, onKeyDown } = useCursor({
    results,
    selected,
    followsCursor,
    onSelect,
    onOpen,
    scrollTo: (index) => virtualizer.scrollToIndex(index),
  })
  useStartAtTop(results.query, virtualizer.scrollToOffset)

  return (
    <>
      <Instead results={results} />
      <div
        ref={listRef}
        hidden={total === 0}
        className="result-list"
        role="listbox"
        aria-label="Results"
        tabIndex={0}
        aria-activedescendant={cursor >= first && cursor <= last ? `result-${cursor}` : undefined}
        onKeyDown={onKeyDown}
      >
        <div role="presentation" className="result-rows" style={{ height: virtualizer.getTotalSize() }}>
          {visible.map(({ index, start }) => {
            const row = rowAt(index)
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the list box has the focus and takes the keys
              <div
                key={index}
                id={`result-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={row !== undefined && row.id === selected}
                aria-posinset={index + 1}
                aria-setsize={total}
                data-cursor={index === cursor || undefined}
                className="item-row result-row"
                style={{ height: rowHeight, transform: `translateY(${start}px)` }}
                onClick={() => {
                  if (!row) return
                  setCursor(index)
                  onSelect(row.id)
                  listRef.current?.focus()
                }}
              >
                {row ? <ItemRowContent row={row} /> : <span className="skeleton-line" />}
              </div>
            )
          })}
        </div>
      </div>
    </>
  )
}

/** What stands there when there are no rows. */
function Instead({ results: { isLoading, error, problems, total, retry } }: { results: Results }) {
  if (isLoading) return <Skeleton lines={12} />
  if (error) return <Problem error={error} onRetry={retry} />
  if (problems.length > 0)
    return <EmptyState title="The query cannot be read." hint="What is wrong with it stands under the field." />
  if (total === 0)
    return <EmptyState title="Nothing is found." hint="Take a word or a filter away, or look for another spelling." />
  return null
}

function useStartAtTop(query: string, scrollToOffset: (offset: number) => void): void {
  const known = useRef(query)
  useEffect(() => {
    if (known.current !== query) scrollToOffset(0)
    known.current = query
  }, [query, scrollToOffset])
}
