import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { createContext, type ReactNode, useContext, useEffect, useState } from "react"
import type { LiveEvent } from "../../src/web/api.ts"
import { ApiError, getJson, isSignedOut } from "./fetch-json.ts"

/** `expired`: another server has taken the place of the one that the link was for. `signed-out`: a team's server no longer knows who this is. */
export type Connection = "open" | "lost" | "expired" | "signed-out"

const ConnectionContext = createContext<Connection>("open")

/** Whether changes made elsewhere arrive. */
export const useConnection = () => useContext(ConnectionContext)

/** Listens for what changes on the disk, so that whatever shows it asks again; after a lost connection everything does. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient()
  const [connection, setConnection] = useState<Connection>("open")
  useEffect(() => listen(queryClient, setConnection), [queryClient])
  return <ConnectionContext value={connection}>{children}</ConnectionContext>
}

/** What shows more than what its event is about: an item's change moves counts and charts. */
const affected: Record<LiveEvent["kind"], string[]> = {
  items: ["items", "item", "timeline", "overview", "context", "inbox", "agents", "audit", "health", "undo"],
  sessions: ["sessions", "overview"],
  inbox: ["inbox", "overview", "health", "undo"],
  uses: ["item", "overview", "agents"],
  changed: ["items", "item", "timeline", "overview", "context", "projects", "organisation"],
}

const retryAfter = 2_000

/** A page that nobody sees does not listen: a browser has only six connections to one server, for all its tabs. */
function listen(queryClient: QueryClient, tell: (connection: Connection) => void): () => void {
  let source: EventSource | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let hasMissed = false
  const connect = () => {
    const opened = new EventSource("/api/events")
    source = opened
    opened.onopen = () => {
      tell("open")
      if (hasMissed) queryClient.invalidateQueries()
      hasMissed = false
    }
    opened.onmessage = ({ data }) => {
      const event = JSON.parse(data) as LiveEvent
      const names = affected[event.kind]
      queryClient.invalidateQueries({ predicate: ({ queryKey }) => names.includes(String(queryKey[0])) })
    }
    opened.onerror = async () => {
      disconnect() // the browser gives up for good on some answers; asking anew never does
      retry = setTimeout(connect, retryAfter)
      const why = await whyLost()
      if (source === undefined) tell(why)
    }
  }
  const disconnect = () => {
    hasMissed = true
    clearTimeout(retry)
    source?.close()
    source = undefined
  }
  const follow = () => {
    disconnect()
    if (!document.hidden) connect()
  }
  follow()
  hasMissed = false
  document.addEventListener("visibilitychange", follow)
  return () => {
    document.removeEventListener("visibilitychange", follow)
    disconnect()
  }
}

async function whyLost(): Promise<Connection> {
  const answer = await getJson("/api/about").catch((error: unknown) => error)
  if (isSignedOut(answer)) return "signed-out"
  return answer instanceof ApiError && answer.status === 401 ? "expired" : "lost"
}
