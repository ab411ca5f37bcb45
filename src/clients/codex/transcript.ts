import { hash } from "node:crypto"
import { basename, join } from "node:path"
import type { SubAgent } from "../../formats/client-events.ts"
import type { Client, Machine } from "../client.ts"
import { isoTime, type JsonObject, objectOf, objectsOf, parseObject, textOf } from "../json-value.ts"
import { subAgentName } from "../sub-agent.ts"
import { findFiles } from "../transcripts/client-files.ts"
import { collectEvents } from "../transcripts/event-collector.ts"
import { type LineFormat, type LineReader, readLines } from "../transcripts/line-files.ts"
import { openCodexCalls } from "./calls.ts"

/** Codex's records, of both formats: the model's input and output, and the events that its own screen shows. */
const codexLines: LineFormat = {
  isIdle: (line) => idleBeginning.test(line.toString("latin1", 0, 300)),
  open: ({ path }, carried) => openCodexReader(basename(path), parseObject(carried) ?? {}),
}

/** Frequent records without useful content. */
const idleBeginning =
  /^\{"timestamp":"[^"]{0,40}",(?:"ordinal":\d{1,12},)?"type":"(?:token_usage_record"|world_state"|response_item","payload":\{"type":"reasoning"|event_msg","payload":\{"type":"(?:token_count|agent_message|agent_reasoning|task_started|task_complete|thread_settings_applied)"|event_msg","payload":\{"type":"item_completed",[^{}]{0,200}"item":\{"type":"(?:AgentMessage|Reasoning)")/

/** State of the session that owns the file. */
type CodexSession = {
  id: string
  /** The last id generated for a record without one. */
  chain?: string
  cwd?: string | undefined
  branch?: string | undefined
  /** Of a sub-agent: the session that started it. */
  agent?: SubAgent | undefined
  /** A sub-agent's file that begins with a copy of another session, or does not name the session that started it. */
  isSilent?: boolean
  hasBegun?: boolean
  /** The user's text arrives as items; the same text as an event is then a copy. */
  hasItems?: boolean
}

type Place = { ts: string; line: number }

function openCodexReader(name: string, before: JsonObject): LineReader {
  const session: CodexSession = { id: name, ...objectOf(before.session) }
  const collector = collectEvents("codex", session.id, textOf(before.events))
  const calls = openCodexCalls(collector, objectOf(before.calls) ?? {})
  const told = (id: string, place: Place) => ({
    ...place,
    id,
    session: session.id,
    cwd: session.cwd,
    branch: session.branch,
    agent: session.agent,
  })
  /** A fork copies the records of its origin, so ids are chained from their content and match in both. */
  const chained = (...said: unknown[]): string => {
    session.chain = hash("sha256", JSON.stringify([session.chain, ...said])).slice(0, 24)
    return session.chain
  }

  const say = (text: string, place: Place, id: string | undefined) => {
    const words = codexUserText(text)
    if (session.agent !== undefined && words !== "") {
      const name = session.agent.name ?? subAgentName({ task: words })
      session.agent = { ...session.agent, ...(name === undefined ? {} : { name }) }
    }
    const role = session.agent === undefined ? "user" : "assistant" // a sub-agent's task is in its parent's words
    if (words !== "") collector.say({ ...told(id ?? chained("user", words), place), role, text: words })
  }
  const tellers: Record<string, (payload: JsonObject, place: Place) => void> = {
    session_meta(payload) {
      const id = textOf(payload.id)
      session.chain = id ?? "" // the last of several is the origin of all
      if (session.hasBegun) session.isSilent ||= session.agent !== undefined
      if (session.hasBegun) return
      const isSubAgents = objectOf(payload.source)?.subagent !== undefined || payload.thread_source === "subagent"
      const agent = isSubAgents && payload.forked_from_id === undefined ? subAgentIn(payload) : undefined
      Object.assign(session, {
        id: id ?? session.id,
        hasBegun: true,
        cwd: textOf(payload.cwd),
        branch: textOf(objectOf(payload.git)?.branch),
        agent,
        isSilent: isSubAgents && agent === undefined,
        hasItems: payload.history_mode === "paginated",
      })
    },
    turn_context(payload) {
      session.cwd = textOf(payload.cwd) ?? session.cwd
    },
    compacted: (_, place) => collector.mark({ ...told(chained("compacted"), place), mark: "compacted" }),
    "response_item/message"(payload, place) {
      const text = codexPartsText(payload.content)
      if (payload.role !== "assistant") collector.overhear(text)
      else if (text !== "")
        collector.say({ ...told(textOf(payload.id) ?? chained("assistant", text), place), role: "assistant", text })
    },
    "event_msg/user_message"(payload, place) {
      const isPlain = payload.kind === undefined || payload.kind === "plain"
      if (!session.hasItems && isPlain) say(textOf(payload.message) ?? "", place, undefined)
    },
    "event_msg/item_completed/UserMessage"({ item }, place) {
      session.hasItems = true
      const { id, content } = objectOf(item) ?? {}
      say(codexPartsText(content), place, textOf(id))
    },
    "event_msg/turn_aborted"(payload, place) {
      if (payload.reason === "interrupted")
        collector.interrupt(told(`${textOf(payload.turn_id) ?? chained("aborted")}:aborted`, place))
    },
  }

  return {
    take(record, line) {
      const payload = objectOf(record.payload) ?? {}
      const kind = kindOf(record, payload)
      const place = { ts: isoTime(record.timestamp), line }
      const tell = Object.hasOwn(tellers, kind) ? tellers[kind] : undefined
      if (session.isSilent && kind !== "session_meta") return []
      if (tell) tell(payload, place)
      else if (!calls.take(kind, payload, (id) => told(id, place)) && !idleKinds.has(kind)) return { unknown: kind }
      return collector.take()
    },
    carry: () => JSON.stringify({ session, events: collector.carry(), calls: calls.carry() }),
  }
}

function subAgentIn(payload: JsonObject): SubAgent | undefined {
  const spawned = objectOf(objectOf(objectOf(payload.source)?.subagent)?.thread_spawn)
  const parent = textOf(spawned?.parent_thread_id) ?? textOf(payload.parent_thread_id)
  if (parent === undefined) return undefined
  const kind = textOf(spawned?.agent_role) ?? textOf(payload.agent_role) ?? ""
  const name = subAgentName({ kind, task: "" })
  return { parent, ...(name === undefined ? {} : { name }) }
}

/** `event_msg/item_completed/Plan`: the record's type and its nested types. */
function kindOf(record: JsonObject, payload: JsonObject): string {
  const type = textOf(record.type) ?? "untyped"
  if (type !== "response_item" && type !== "event_msg") return type
  const item = objectOf(payload.item)
  return item === undefined ? `${type}/${textOf(payload.type)}` : `${type}/${textOf(payload.type)}/${textOf(item.type)}`
}

const idleKinds = new Set(
  `world_state token_usage_record inter_agent_communication inter_agent_communication_metadata security_risk_score
  response_item/reasoning response_item/tool_search_call response_item/tool_search_output response_item/ghost_snapshot
  response_item/agent_message response_item/image_generation_call
  event_msg/agent_message event_msg/agent_reasoning event_msg/task_started event_msg/task_complete event_msg/token_count
  event_msg/thread_settings_applied event_msg/context_compacted event_msg/web_search_end event_msg/error
  event_msg/entered_review_mode event_msg/exited_review_mode event_msg/thread_goal_updated event_msg/thread_name_updated
  event_msg/image_generation_end event_msg/view_image_tool_call event_msg/guardian_assessment event_msg/sub_agent_activity
  event_msg/collab_agent_spawn_end event_msg/collab_agent_interaction_end event_msg/collab_waiting_end event_msg/collab_close_end
  event_msg/undo_completed event_msg/item_completed/AgentMessage event_msg/item_completed/Reasoning
  event_msg/item_completed/Plan`.split(/\s+/),
)

/** Sessions are `sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`; old ones may be compressed, or archived. */
export const codex: Client = {
  id: "codex",
  name: "Codex CLI",
  maturity: "proven",
  find: (machine) => findSessions(machine).map((path) => ({ client: "codex", path })),
  recognises: (path, beginning) =>
    path.endsWith(".zst")
      ? rolloutName.test(basename(path)) && beginning.startsWith(packed)
      : ownRecord.test(beginning),
  read: (transcript, from) => readLines(transcript, from, codexLines),
}

const rolloutName = /^rollout-.{1,200}\.jsonl(?:\.zst)?$/
/** The first bytes of Zstandard, read as text. */
const packed = "(\ufffd/\ufffd"
const ownRecord = /"type":"(?:session_meta|response_item|event_msg|turn_context|world_state)",[^\n]{0,40}"payload":/

function findSessions({ home, environment }: Machine): string[] {
  const folder = environment.CODEX_HOME || join(home, ".codex")
  const found = ["sessions", "archived_sessions"].flatMap((name) =>
    findFiles(join(folder, name), 4, (file) => rolloutName.test(file)),
  )
  return found.sort((one, other) => (basename(one) < basename(other) ? -1 : 1)) // the name starts with the time
}

/** The text of a message or an output, which is one string, one part, or a list of parts. */
export function codexPartsText(content: unknown): string {
  if (typeof content === "string") return content
  const parts = Array.isArray(content) ? objectsOf(content) : [objectOf(content) ?? {}]
  return parts.flatMap((part) => textOf(part.text) ?? textOf(part.content) ?? []).join("\n")
}

/** The user's own text; "" for text that the client wrote in a user message. */
export function codexUserText(text: string): string {
  if (byClient.test(text)) return ""
  if (!text.startsWith("# Context from my IDE setup:")) return text.trim()
  const request = text.lastIndexOf(editorRequest) // a selected file may contain the same heading
  return request < 0 ? "" : text.slice(request + editorRequest.length).trim()
}

const byClient =
  /^\s{0,20}(?:<(?:environment_context|user_instructions|turn_aborted)>|# AGENTS\.md instructions for|Generate a file named AGENTS\.md that serves as a contributor guide for this repository\.\n|Implement the plan\.$)/

/** Editors list what is open before the request. */
const editorRequest = "## My request for Codex:\n"
