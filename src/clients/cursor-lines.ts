import { basename, dirname } from "node:path"
import { collectEvents, type EventCollector, type Told } from "./collect-events.ts"
import { cursorServer } from "./cursor-server.ts"
import { cursorWords } from "./cursor-words.ts"
import { folderOfSlug } from "./folder-of-slug.ts"
import { type JsonObject, objectOf, objectsOf, textOf } from "./json-value.ts"
import type { LineFormat } from "./read-lines.ts"

/**
 * Cursor's agent transcripts: a line for each message, with its blocks. They have no times and no ids; the line number
 * identifies a message.
 */
export const cursorLines: LineFormat = {
  open({ path }, carried) {
    const session = basename(path, ".jsonl")
    const collector = collectEvents("cursor", session, carried)
    const cwd = folderOfSlug(basename(dirname(dirname(dirname(path)))))
    return {
      take(record, line) {
        if (record.type === "turn_ended") return []
        if (record.role !== "user" && record.role !== "assistant")
          return { unknown: String(record.type ?? record.role) }
        const content = objectOf(record.message)?.content
        const blocks = typeof content === "string" ? [{ type: "text", text: content }] : objectsOf(content)
        for (const [index, block] of blocks.entries())
          tellBlock(collector, record.role, block, { id: `${session}:${line}:${index}`, ts: "", line, cwd })
        return collector.take()
      },
      carry: collector.carry,
    }
  },
}

function tellBlock(collector: EventCollector, role: "user" | "assistant", block: JsonObject, told: Told): void {
  const text = textOf(block.text) ?? ""
  if (block.type === "text" && role === "assistant") collector.say({ ...told, role, text })
  else if (block.type === "text") {
    const { words, isWrapped } = cursorWords(text)
    if (isWrapped) collector.overhear(text) // the text around it: rules, skills, one of our contexts
    collector.say({ ...told, role, text: words })
  } else if (block.type === "tool_use") {
    const input = objectOf(block.input) ?? {}
    collector.call({
      ...told,
      call: textOf(block.id) ?? told.id,
      tool: textOf(block.name) ?? "unknown",
      server: cursorServer(input),
      input,
    })
  } else if (block.type === "tool_result") {
    const parts = objectsOf(block.content).flatMap((part) => textOf(part.text) ?? [])
    const output = textOf(block.content) ?? parts.join("\n")
    collector.answer({
      ...told,
      call: textOf(block.tool_use_id) ?? told.id,
      text: output,
      isError: block.is_error === true,
    })
  }
}
