import type { ClientId } from "../clients/client.ts"
import type { ToolCall } from "../recall/tool-call.ts"

/** What a client tells at one of its hooks, in the words of all. */
export type HookEvent = HookPlace &
  (
    | { kind: "session-start"; source: "startup" | "resume" | "clear" | "compact" }
    | { kind: "prompt"; text: string }
    | { kind: "subagent-start" }
    | { kind: "before-compaction" }
    | { kind: "before-tool"; call: ToolCall; delegation?: Delegation | undefined }
    /** It went well. Told by clients whose agents can be warned of a call only with its result. */
    | { kind: "after-tool"; call: ToolCall }
    | { kind: "after-failure"; call: ToolCall; error: string }
    | { kind: "end"; of: "turn" | "session" }
  )

/** Where it happens. */
export type HookPlace = {
  client: ClientId
  /** The client's own session id. */
  session: string | undefined
  cwd: string
  transcript: string | undefined
  /** The sub-agent at work, or the agent that the session runs as, by the client's name for it. */
  agent: string | undefined
  /** Tells the sub-agents of one session apart. */
  agentId: string | undefined
}

/** A task that an agent hands to a sub-agent: to which kind, under what name, in which words. */
export type Delegation = { kind: string | undefined; name: string; task: string }

/** What the agent is told, and, beside it, a line for the user alone. */
export type HookAnswer =
  | { kind: "context"; text: string; toUser?: string | undefined }
  /** Advice on a tool call; `ask`: the user set this guard so that the client asks first. */
  | { kind: "warning"; text: string; ask: boolean }

/** One client's way of speaking at its hooks. One file each, one contract for all. */
export type HookClient = {
  id: ClientId
  /** The events at which it takes words for the agent. At the others Drey only listens. */
  hears: readonly HookEvent["kind"][]
  /** It shows its user a line that the agent does not read. Where it cannot, the agent is told instead. */
  showsUser: boolean
  /** Undefined when the event, or what stands in it, is nothing for Drey. Never throws. */
  read(event: string, input: unknown): HookEvent | undefined
  /** What goes to stdout, for an event that it hears. */
  answer(event: HookEvent, answer: HookAnswer): string
}
