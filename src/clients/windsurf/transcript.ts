import { hash } from "node:crypto"
import { basename, dirname, isAbsolute, join } from "node:path"
import { readTextFile } from "../../disk/text-files.ts"
import type { Client } from "../client.ts"
import { type JsonObject, numberOf, objectOf, parseObject, textOf } from "../json-value.ts"
import { filesOf } from "../tool-calls.ts"
import { findFiles } from "../transcripts/client-files.ts"
import {
  collectEvents,
  countUnknown,
  type EventCollector,
  type TranscriptReading,
} from "../transcripts/event-collector.ts"
import { readWhole } from "../transcripts/whole-files.ts"

/**
 * Windsurf encrypts its conversations, so they cannot be read. If its hook `post_cascade_response_with_transcript` is
 * set, it writes each as JSON lines, rewritten after every answer; only these are read.
 */
export const windsurf: Client = {
  id: "windsurf",
  name: "Windsurf",
  maturity: "experimental",
  find: ({ home }) =>
    findFiles(join(home, ".windsurf", "transcripts"), 1, (name) => name.endsWith(".jsonl")).map((path) => ({
      client: "windsurf",
      path,
    })),
  recognises: (path, beginning) => path.endsWith(".jsonl") && firstStep.test(beginning),
  read: ({ path }, from) =>
    readWhole([path], from, () => {
      const { text, bytes } = readTextFile(path)
      return { account: readSteps(basename(path, ".jsonl"), text), bytes }
    }),
}

const firstStep = /^\s{0,20}\{[^\n]{0,60000}"type"\s{0,20}:\s{0,20}"(?:user_input|planner_response)"/

function readSteps(session: string, text: string): TranscriptReading {
  const lines = text.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [{ line, number: index + 1 }]))
  const steps = lines.map(({ line, number }) => ({ step: parseObject(line), line, number }))
  const cwd = workFolder(steps.map(({ step }) => step))
  const collector = collectEvents("windsurf", session)
  const account: TranscriptReading = { events: [], records: lines.length, unknown: {} }
  const seen = new Map<string, number>()
  for (const { step, line, number } of steps) {
    // Steps have no ids and may be inserted before others: an id is made from the content and its repetition count.
    const said = hash("sha256", line).slice(0, 24)
    const times = (seen.get(said) ?? 0) + 1
    seen.set(said, times)
    const kind =
      step === undefined ? "unreadable" : tellStep(collector, step, `${session}:${said}:${times}`, number, cwd)
    if (kind !== undefined) countUnknown(account.unknown, kind)
  }
  return { ...account, events: collector.take() }
}

/** Returns the kind of an unknown step. */
function tellStep(
  collector: EventCollector,
  step: JsonObject,
  id: string,
  line: number,
  cwd: string | undefined,
): string | undefined {
  const kind = textOf(step.type) ?? "unknown"
  const said = objectOf(step[kind])
  const told = { id, ts: "", line, cwd }
  if (step.status === "running" || step.status === "pending") return undefined // added when it is done
  if (kind === "user_input") collector.say({ ...told, role: "user", text: textOf(said?.user_response) ?? "" })
  else if (kind === "planner_response")
    collector.say({ ...told, role: "assistant", text: textOf(said?.response) ?? "" })
  else if (said === undefined) return kind
  else tellTool(collector, kind, said, told)
  return undefined
}

/** Any other kind of step is a tool call named after the tool, with its input and output. */
function tellTool(
  collector: EventCollector,
  kind: string,
  said: JsonObject,
  told: { id: string; ts: string; line: number; cwd: string | undefined },
): void {
  const tool = kind === "mcp_tool" ? (textOf(said.tool_name) ?? kind) : (toolNames.get(kind) ?? kind)
  const server = textOf(said.server_name) ?? textOf(said.mcp_server_name)
  const input = {
    ...parseObject(said.arguments),
    ...said,
    ...(said.command_line ? { command: said.command_line } : {}),
  }
  collector.call({ ...told, id: `${told.id}:call`, call: told.id, tool, server, input })
  const output = textOf(said.output) ?? textOf(said.result) ?? textOf(said.stdout)
  const exitCode = numberOf(said.exit_code)
  const error = textOf(said.error)
  if (output === undefined && exitCode === undefined && error === undefined) return
  collector.answer({
    ...told,
    id: `${told.id}:result`,
    call: told.id,
    text: error ?? output ?? "",
    isError: error !== undefined || said.status === "error",
    exitCode,
  })
}

const toolNames = new Map([
  ["code_action", "edit_file"],
  ["view_file", "read_file"],
])

/** The working folder is not recorded; the first file with an absolute path is in or below it. */
function workFolder(steps: (JsonObject | undefined)[]): string | undefined {
  for (const step of steps) {
    const said = objectOf(step?.[textOf(step.type) ?? ""])
    const path = said && (textOf(said.cwd) ?? filesOf(said).map((file) => dirname(file))[0])
    if (path !== undefined && isAbsolute(path)) return path
  }
  return undefined
}
