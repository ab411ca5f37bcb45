import { basename } from "node:path"
import { collectEvents } from "./collect-events.ts"
import { geminiFolder } from "./gemini-folder.ts"
import { geminiOutput, rawGeminiOutput } from "./gemini-output.ts"
import { geminiWords, partsText, workspaceIn } from "./gemini-words.ts"
import { isoTime, type JsonObject, objectOf, objectsOf, parseObject, textOf, textsOf } from "./json-value.ts"
import type { TranscriptEvent } from "./transcript-event.ts"

export type GeminiMessages = {
  /** Reads a session's header. */
  begin(header: JsonObject): void
  /** Reads a message, or a resumed session's copy of one; returns the name of an unknown kind. */
  take(message: JsonObject, line: number, copy?: "copy"): string | undefined
  /** The events since the last call. */
  events(): TranscriptEvent[]
  carry(): string
}

const mostKnown = 2000

/**
 * The same message is written several times: without its calls, with them, and without them again when a session is
 * resumed. So each part is added once, by its id, when it first appears.
 */
export function openGeminiMessages(path: string, carried: string): GeminiMessages {
  const name = basename(path)
  const before = parseObject(carried) ?? {}
  const collector = collectEvents("gemini-cli", name, textOf(before.events))
  const known = new Set(textsOf(before.known))
  let session = textOf(before.session) ?? name
  let cwd = textOf(before.cwd)
  let isSilent = before.isSilent === true

  /** Whether a part appears for the first time. */
  const isNew = (piece: string): boolean => {
    if (known.has(piece)) return false
    known.add(piece)
    const [oldest = ""] = known
    if (known.size > mostKnown) known.delete(oldest)
    return true
  }
  const toldAt = (message: JsonObject, line: number) => (piece: string, time?: unknown) => ({
    id: `${session}:${piece}`,
    session,
    ts: isoTime(time) || isoTime(message.timestamp),
    line,
    cwd,
  })

  const tellers: Record<string, (message: JsonObject, told: ReturnType<typeof toldAt>, copy: boolean) => void> = {
    user(message, told, isCopy) {
      const given = partsText(message.content)
      const id = `${textOf(message.id)}:user`
      const words = geminiWords(message)
      cwd = workspaceIn(given) ?? cwd
      if (words === "" || !isNew(id)) return
      const isSaid = !isNew(`said:${words.slice(0, 100)}`)
      if (isCopy && isSaid) return // copies may have new ids
      collector.overhear(given)
      collector.say({ ...told(id), role: "user", text: words })
    },
    gemini(message, told) {
      const text = partsText(message.content)
      const id = `${textOf(message.id)}:gemini`
      if (text.trim() !== "" && isNew(id)) collector.say({ ...told(id), role: "assistant", text })
      for (const call of objectsOf(message.toolCalls)) tellCall(call, told)
    },
    info(message, told) {
      const id = `${textOf(message.id)}:info`
      if (partsText(message.content).startsWith("Request cancelled") && isNew(id)) collector.interrupt(told(id))
    },
    error() {},
    warning() {},
  }

  function tellCall(call: JsonObject, told: ReturnType<typeof toldAt>): void {
    const id = textOf(call.id) ?? ""
    const tool = textOf(call.name) ?? "unknown"
    if (isNew(`${id}:call`)) collector.call({ ...told(`${id}:call`), call: id, tool, input: objectOf(call.args) ?? {} })
    const isOver = ["success", "error", "cancelled"].includes(String(call.status))
    if (!isOver || !isNew(`${id}:result`)) return
    collector.overhear(rawGeminiOutput(call)) // a hook may have added a context, which is removed from the reported output
    collector.answer({ ...told(`${id}:result`, call.timestamp), call: id, ...geminiOutput(call) })
  }

  return {
    begin(header) {
      session = textOf(header.sessionId) ?? session
      cwd ??= geminiFolder(path, textOf(header.projectHash))
      isSilent ||= header.kind === "subagent"
    },
    take(message, line, copy) {
      const kind = String(message.type)
      const tell = Object.hasOwn(tellers, kind) ? tellers[kind] : undefined
      if (tell === undefined) return textOf(message.type) ? `message/${message.type}` : "untyped"
      tell(message, toldAt(message, line), copy !== undefined)
      return undefined
    },
    events() {
      const events = collector.take()
      return isSilent ? [] : events
    },
    carry: () => JSON.stringify({ session, cwd, isSilent, known: [...known], events: collector.carry() }),
  }
}
