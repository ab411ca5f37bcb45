import { useQuery } from "@tanstack/react-query"
import { useRef } from "react"
import { Link, useLocation, useParams } from "wouter"
import type { ListedConversation } from "../../../src/recall/browse/app-api.ts"
import { conversationsQuery } from "../../api/queries.ts"
import { Answer } from "../../parts/answer.tsx"
import { decodePart } from "../../parts/decode-part.ts"
import { EmptyState } from "../../parts/empty-state.tsx"
import { Highlighted } from "../../parts/highlighted.tsx"
import { ListAndDetail, useHasRoomForBoth } from "../../parts/list-and-detail/list-and-detail.tsx"
import { ListCount } from "../../parts/list-and-detail/list-count.tsx"
import { useListKeys } from "../../parts/list-and-detail/use-list-keys.ts"
import { usePageTitle } from "../../parts/page.tsx"
import { Time } from "../../parts/time.tsx"
import { useDebounced } from "../../parts/use-debounced.ts"
import { useKeys } from "../../parts/use-keys.ts"
import { useSearchValues, withSearchValues } from "../../parts/use-search-values.ts"
import { ConversationView } from "./conversation-view.tsx"
import "./conversations.css"

const quietTime = 150

/** Past conversations with coding agents: a searched list, and one of them as it went. */
export function ConversationsPage() {
  usePageTitle("Conversations")
  const { id } = useParams()
  const [, navigate] = useLocation()
  const [values, change] = useSearchValues()
  const isWide = useHasRoomForBoth()
  const text = values.get("q") ?? ""
  const query = useQuery(conversationsQuery(useDebounced(text, quietTime)))
  const rows = query.data?.rows ?? []
  const asked = id === undefined ? null : decodePart(id)
  const shown = asked ?? (isWide ? (rows[0]?.id ?? null) : null)
  const input = useRef<HTMLInputElement>(null)
  const detail = useRef<HTMLElement>(null)
  const hrefOf = (row: string) => withSearchValues(`/conversations/${encodeURIComponent(row)}`, values, {})
  const back = () => navigate(withSearchValues("/conversations", values, {}), { replace: true })
  useListKeys(
    rows.map((row) => row.id),
    shown,
    (next) => navigate(hrefOf(next), { replace: isWide }),
  )
  useKeys({ "/": () => input.current?.focus(), Escape: isWide || asked === null ? undefined : back })
  return (
    <>
      <h1 className="for-readers">Conversations</h1>
      <ListAndDetail
        label="Conversation"
        isOpen={shown !== null}
        onBack={back}
        detailRef={detail}
        list={
          <>
            <search className="conversation-search">
              <input
                ref={input}
                type="search"
                className="input"
                aria-label="Search conversations"
                placeholder="Words, file:src/x.ts, client:codex, session:5e55"
                value={text}
                onChange={({ target }) => change({ q: target.value }, { replace: true })}
              />
              {query.data?.problem ? <p className="field-problem">{query.data.problem}</p> : null}
            </search>
            <Answer query={query} lines={8}>
              {({ rows: found, problem }) =>
                found.length > 0 ? (
                  <>
                    <ListCount text={found.length === 1 ? "1 conversation" : `${found.length} conversations`} />
                    <nav aria-label="Conversations">
                      <ul>
                        {found.map((row) => (
                          <li key={row.id}>
                            <Link
                              href={hrefOf(row.id)}
                              replace={isWide}
                              onClick={() => requestAnimationFrame(() => detail.current?.focus())}
                              className="item-row list-row"
                              aria-current={row.id === shown ? "true" : undefined}
                              data-row={row.id}
                            >
                              <RowContent row={row} />
                            </Link>
                          </li>
                        ))}
                      </ul>
                    </nav>
                  </>
                ) : problem ? null : (
                  <NoConversations isSearched={text !== ""} />
                )
              }
            </Answer>
          </>
        }
        detail={shown === null ? null : <ConversationView key={shown} id={shown} />}
      />
    </>
  )
}

function NoConversations({ isSearched }: { isSearched: boolean }) {
  if (isSearched) return <EmptyState title="No conversation matches." hint="Try fewer or other words." />
  const hint = (
    <>
      Drey finds them in the transcripts of your coding agents. To read them now: <code>drey ingest</code>.
    </>
  )
  return <EmptyState title="No conversations yet." hint={hint} />
}

function RowContent({ row }: { row: ListedConversation }) {
  return (
    <>
      <span className="item-row-title">{row.title}</span>
      {row.snippet ? (
        <span className="item-row-snippet">
          <Highlighted text={row.snippet} ranges={row.highlights} />
        </span>
      ) : null}
      <span className="item-row-foot">
        <span className="item-row-author">{row.client}</span>
        {row.at === null ? null : <Time at={row.at} />}
      </span>
    </>
  )
}
