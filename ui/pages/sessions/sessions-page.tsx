import { useQuery } from "@tanstack/react-query"
import { useRef } from "react"
import { useLocation, useParams } from "wouter"
import type { SessionRow } from "../../../src/recall/browse/app-api.ts"
import { sessionsQuery } from "../../api/queries.ts"
import { Answer } from "../../parts/answer.tsx"
import { decodePart } from "../../parts/decode-part.ts"
import { EmptyState } from "../../parts/empty-state.tsx"
import { ListAndDetail, useHasRoomForBoth } from "../../parts/list-and-detail/list-and-detail.tsx"
import { ListCount } from "../../parts/list-and-detail/list-count.tsx"
import { useListKeys } from "../../parts/list-and-detail/use-list-keys.ts"
import { usePageTitle } from "../../parts/page.tsx"
import { useKeys } from "../../parts/use-keys.ts"
import { SessionList, sessionHref } from "./session-list.tsx"
import { SessionView } from "./session-view.tsx"
import "./sessions.css"

/** The working memory of what runs and of what has run. */
export function SessionsPage() {
  usePageTitle("Sessions")
  const query = useQuery(sessionsQuery())
  return (
    <>
      <h1 className="for-readers">Sessions</h1>
      <Answer query={query} lines={8}>
        {(sessions) =>
          sessions.length > 0 ? (
            <SessionDesk sessions={sessions} />
          ) : (
            <EmptyState
              title="No sessions yet."
              hint={
                <>
                  Agents note what they try and find out while they work, over MCP or with{" "}
                  <code>drey session start</code>.
                </>
              }
            />
          )
        }
      </Answer>
    </>
  )
}

function SessionDesk({ sessions }: { sessions: SessionRow[] }) {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const isWide = useHasRoomForBoth()
  const asked = id === undefined ? null : decodePart(id)
  const inOrder = [...sessions.filter(({ isActive }) => isActive), ...sessions.filter(({ isActive }) => !isActive)]
  const shown = asked ?? (isWide ? (inOrder[0]?.id ?? null) : null)
  const detail = useRef<HTMLElement>(null)
  const focusDetail = () => requestAnimationFrame(() => detail.current?.focus())
  const back = () => navigate("/sessions", { replace: true })
  useListKeys(
    inOrder.map((row) => row.id),
    shown,
    (next) => navigate(sessionHref(next), { replace: isWide }),
  )
  useKeys({ Escape: isWide || asked === null ? undefined : back })
  return (
    <ListAndDetail
      label="Session"
      isOpen={shown !== null}
      onBack={back}
      detailRef={detail}
      list={
        <>
          <ListCount text={sessions.length === 1 ? "1 session" : `${sessions.length} sessions`} />
          <SessionList sessions={inOrder} shown={shown} staysInSight={isWide} onOpen={focusDetail} />
        </>
      }
      detail={shown === null ? null : <SessionView key={shown} id={shown} />}
    />
  )
}
