import { useQuery } from "@tanstack/react-query"
import { useCallback, useEffect, useMemo, useRef } from "react"
import { Link } from "wouter"
import { itemsQuery, timelineQuery } from "../../api/queries.ts"
import { Answer } from "../../parts/answer.tsx"
import { explorerHref } from "../../parts/item-href.ts"
import { Page } from "../../parts/page.tsx"
import { QueryField } from "../../parts/query-field/query-field.tsx"
import { type Span, spanInQuery, withSpan } from "../../parts/span/span.ts"
import { useDebounced } from "../../parts/use-debounced.ts"
import { useKeys } from "../../parts/use-keys.ts"
import { useSearchValues } from "../../parts/use-search-values.ts"
import { useAskedQuery } from "../explorer/use-asked-query.ts"
import { SpanItems } from "./span-items.tsx"
import "./timeline.css"
import { TimelineSpan } from "./timeline-span.tsx"

const quietTime = 150
const shownItems = 8

/** Everything over time. The span that is shown is a part of the query, so the Explorer shows the same. */
export function TimelinePage() {
  const [values, change] = useSearchValues()
  const [text, setText] = useAskedQuery(values, change)
  const asked = useDebounced(text, quietTime)
  const timeline = useQuery(timelineQuery(withSpan(asked, null)))
  const items = useQuery(itemsQuery(asked, shownItems))
  const span = useMemo(() => spanInQuery(text), [text])
  const latest = useRef(text)
  useEffect(() => {
    latest.current = text
  })
  const setSpan = useCallback((next: Span | null) => setText(withSpan(latest.current, next)), [setText])
  const input = useRef<HTMLInputElement>(null)
  useKeys({ "/": () => input.current?.focus() })

  return (
    <Page title="Timeline" actions={<Link href={explorerHref(text)}>Show these in the Explorer</Link>}>
      <QueryField
        label="Query"
        value={text}
        onChange={setText}
        problems={items.data?.problems ?? []}
        inputRef={input}
      />
      <Answer query={timeline} lines={10}>
        {(data) => (
          <TimelineSpan
            timeline={data}
            span={span}
            query={text}
            undated={span ? 0 : (items.data?.total ?? 0) - (data.weeks.at(-1)?.total ?? 0)}
            onQuery={setText}
            onSpan={setSpan}
          />
        )}
      </Answer>
      <SpanItems query={text} answer={items} />
    </Page>
  )
}
