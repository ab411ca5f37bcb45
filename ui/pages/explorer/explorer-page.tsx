import { useCallback, useRef } from "react"
import { EmptyState } from "../../parts/empty-state.tsx"
import { usePageTitle } from "../../parts/page.tsx"
import { QueryField } from "../../parts/query-field/query-field.tsx"
import { useKeys } from "../../parts/use-keys.ts"
import { useMediaQuery } from "../../parts/use-media-query.ts"
import { useSearchValues, withSearchValues } from "../../parts/use-search-values.ts"
import { ItemDetail } from "../detail/item-detail.tsx"
import "./explorer.css"
import { FacetBar } from "./facet-bar.tsx"
import { ResultCount } from "./result-count.tsx"
import { ResultList } from "./result-list.tsx"
import { useAskedQuery } from "./use-asked-query.ts"
import { useResults } from "./use-results.ts"

export function ExplorerPage() {
  usePageTitle("Explorer")
  const [values, change] = useSearchValues()
  const [text, setText] = useAskedQuery(values, change)
  const results = useResults(text)
  const selected = values.get("id")
  const isWide = useMediaQuery("(width >= 900px)")
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const detail = useRef<HTMLElement>(null)

  const select = useCallback((id: string | null) => change({ id }, { replace: isWide }), [change, isWide])
  const hrefOf = (id: string) => withSearchValues("/explorer", values, { id })
  const backToList = () => {
    if (!isWide) change({ id: null }, { replace: true })
    requestAnimationFrame(() => list.current?.focus())
  }
  useKeys({
    "/": () => input.current?.focus(),
    Escape: selected === null ? undefined : backToList,
  })

  const showsList = isWide || selected === null
  return (
    <div className={isWide ? "explorer explorer-wide" : "explorer"}>
      <h1 className="for-readers">Explorer</h1>
      {showsList ? (
        <div className="explorer-list">
          <div className="explorer-query">
            <QueryField
              label="Query"
              value={text}
              onChange={setText}
              problems={results.problems}
              inputRef={input}
              onLeave={() => list.current?.focus()}
            />
            <FacetBar query={text} onChange={setText} />
            <ResultCount results={results} />
          </div>
          <ResultList
            listRef={list}
            results={results}
            selected={selected}
            followsCursor={isWide}
            onSelect={select}
            onOpen={(id) => {
              select(id)
              requestAnimationFrame(() => detail.current?.focus())
            }}
          />
        </div>
      ) : null}
      {isWide || selected !== null ? (
        <section className="explorer-detail" aria-label="Item" ref={detail} tabIndex={-1}>
          {selected === null ? (
            <EmptyState title="No item selected." hint="Select an item in the list, or move with j and k." />
          ) : (
            <ItemDetail
              key={selected}
              id={selected}
              hrefOf={hrefOf}
              onGone={() => select(null)}
              {...(isWide ? {} : { onBack: backToList })}
            />
          )}
        </section>
      ) : null}
    </div>
  )
}
