import { useVirtualizer } from "@tanstack/react-virtual"
import { type RefObject, useCallback, useEffect, useRef } from "react"
import { EmptyState } from "../../parts/empty-state.tsx"
import { Problem } from "../../parts/problem.tsx"
import { Skeleton } from "../../parts/skeleton.tsx"
import { ResultRow } from "./result-row.tsx"
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
  const choose = useCallback(
    (index: number, id: string) => {
      setCursor(index)
      onSelect(id)
      listRef.current?.focus()
    },
    [setCursor, onSelect, listRef],
  )
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
        aria-activedescendant={visible.some(({ index }) => index === cursor) ? `result-${cursor}` : undefined}
        onKeyDown={onKeyDown}
      >
        <div role="presentation" className="result-rows" style={{ height: virtualizer.getTotalSize() }}>
          {visible.map(({ index, start }) => {
            const row = rowAt(index)
            return (
              <ResultRow
                key={index}
                row={row}
                index={index}
                total={total}
                top={start}
                height={rowHeight}
                isSelected={row !== undefined && row.id === selected}
                hasCursor={index === cursor}
                onChoose={choose}
              />
            )
          })}
        </div>
      </div>
    </>
  )
}

/** Shown when there are no rows. */
function Instead({ results: { isLoading, error, problems, total, retry } }: { results: Results }) {
  if (isLoading) return <Skeleton lines={12} />
  if (error) return <Problem error={error} onRetry={retry} />
  if (problems.length > 0)
    return <EmptyState title="Invalid query." hint="The problem is shown below the search field." />
  if (total === 0) return <EmptyState title="No results." hint="Remove a word or filter, or try another spelling." />
  return null
}

function useStartAtTop(query: string, scrollToOffset: (offset: number) => void): void {
  const known = useRef(query)
  useEffect(() => {
    if (known.current !== query) scrollToOffset(0)
    known.current = query
  }, [query, scrollToOffset])
}
