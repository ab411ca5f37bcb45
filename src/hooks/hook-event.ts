import type { ClientId } from "../clients/client.ts"
import type { ToolCall } from "../recall/tool-call.ts"

/** An event that a client reports at one of its hooks, in the same terms for every client. */
export type HookEvent = HookPlace &
  (
    | { kind: "session-start"; source: "startup" | "resume" | "clear" | "compact" }
    | { kind: "prompt"; text: string }
    | { kind: "subagent-start" }
    | { kind: "before-compaction" }
    | { kind: "before-tool"; call: ToolCall; delegation?: Delegation | undefined }
    /** It succeeded. Sent by clients whose agents can be warned of a call only with its result. */
    | { kind: "after-tool"; call: ToolCall }
    | { kind: "after-failure"; call: ToolCall; error: string }
    | { kind: "end"; of: "turn" | "session" }
  )

/** Where the event happens. */
export type HookPlace = {
  client: ClientId
  /** The client's own session id. */
  session: string | undefined
  cwd: string
  transcript: string | undefined
  /** The running sub-agent, or the agent that the session runs as, by the client's name for it. */
  agent: string | undefined
  /** Distinguishes the sub-agents of one session. */
  agentId: string | undefined
}

/** A task that an agent hands to a sub-agent: its kind, its name and the prompt. */
export type Delegation = { kind: string | undefined; name: string; task: string }

/** Text for the agent, and a line for the user alone. */
export type HookAnswer =
  | { kind: "context"; text: string; toUser?: string | undefined }
  /** Advice on a tool call; `ask`: the user configured this guard to make the client ask first. */
  | { kind: "warning"; text: string; ask: boolean }

/** The hook format of one client. One file each, one contract for all. */
export type HookClient = {
  id: ClientId
  /** The events at which it accepts text for the agent. At the others Drey only reads. */
  hears: readonly HookEvent["kind"][]
  /** It can show its user a line that the agent does not read. Otherwise the line goes to the agent. */
  showsUser: boolean
  /** Undefined when Drey does not use the event or its input. Never throws. */
  read(event: string, input: unknown): HookEvent | undefined
  /** The output on stdout, for an event in `hears`. */
  answer(event: HookEvent, answer: HookAnswer): string
}
