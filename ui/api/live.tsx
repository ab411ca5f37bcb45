import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { createContext, type ReactNode, useContext, useEffect, useState } from "react"
import type { LiveEvent } from "../../src/recall/browse/app-api.ts"
import { getJson, isSignedOut, needsLink, reach } from "./fetch-json.ts"

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

/** A hidden page does not listen: a browser has only six connections to one server, for all its tabs. */
function listen(queryClient: QueryClient, tell: (connection: Connection) => void): () => void {
  let current: AbortController | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let hasMissed = false
  const connect = async () => {
    const opened = new AbortController()
    current = opened
    const onOpen = () => {
      tell("open")
      if (hasMissed) queryClient.invalidateQueries()
      hasMissed = false
    }
    const onEvent = ({ kind }: LiveEvent) => {
      const names = affected[kind]
      queryClient.invalidateQueries({ predicate: ({ queryKey }) => names.includes(String(queryKey[0])) })
    }
    await readEvents(opened.signal, { onOpen, onEvent }).catch(() => {}) // why it ended is asked for below
    if (current !== opened) return
    disconnect()
    retry = setTimeout(connect, retryAfter)
    const why = await whyLost()
    if (current === undefined) tell(why)
  }
  const disconnect = () => {
    hasMissed = true
    clearTimeout(retry)
    current?.abort()
    current = undefined
  }
  const follow = () => {
    disconnect()
    if (!document.hidden) void connect()
  }
  follow()
  hasMissed = false
  document.addEventListener("visibilitychange", follow)
  return () => {
    document.removeEventListener("visibilitychange", follow)
    disconnect()
  }
}

type Listener = { onOpen(): void; onEvent(event: LiveEvent): void }

/** Until the stream ends. Not an `EventSource`: that sends no header, and the local app's server asks for one. */
async function readEvents(signal: AbortSignal, { onOpen, onEvent }: Listener): Promise<void> {
  const { ok, body } = await reach("/api/events", { signal, headers: { accept: "text/event-stream" } })
  if (!ok || !body) return
  onOpen()
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const events = (text + part.value).split("\n\n")
    text = events.pop() ?? "" // its end has not come yet
    for (const event of events) if (event.startsWith("data: ")) onEvent(JSON.parse(event.slice(6)))
  }
}

async function whyLost(): Promise<Connection> {
  const answer = await getJson("/api/about").catch((error: unknown) => error)
  if (isSignedOut(answer)) return "signed-out"
  return needsLink(answer) ? "expired" : "lost"
}
