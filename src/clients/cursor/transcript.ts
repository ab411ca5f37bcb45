import { type Dirent, readdirSync } from "node:fs"
import { basename, dirname, join, parse } from "node:path"
import type { Client, Machine, Transcript } from "../client.ts"
import { typedTextInTag } from "../injected-text.ts"
import { type JsonObject, objectOf, objectsOf, textOf } from "../json-value.ts"
import { readDatabase } from "../transcripts/client-databases.ts"
import { editorFolders, findFiles, listFolder, oldestFirst } from "../transcripts/client-files.ts"
import { collectEvents, type EventCollector, type RecordHeader } from "../transcripts/event-collector.ts"
import { type LineFormat, readLines } from "../transcripts/line-files.ts"
import { cursorDatabase, listCursorConversations } from "./database.ts"

/**
 * Cursor's agent transcripts: a line for each message, with its blocks. They have no times and no ids; the line number
 * identifies a message.
 */
const cursorLines: LineFormat = {
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

function tellBlock(collector: EventCollector, role: "user" | "assistant", block: JsonObject, told: RecordHeader): void {
  const text = textOf(block.text) ?? ""
  if (block.type === "text" && role === "assistant") collector.say({ ...told, role, text })
  else if (block.type === "text") {
    const { words, isWrapped } = cursorUserText(text)
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

/**
 * Cursor keeps conversations in its editor's database and also writes agent conversations as lines, without times and
 * mostly without results: these are read only if the database does not have them.
 */
export const cursor: Client = {
  id: "cursor",
  name: "Cursor",
  maturity: "experimental",
  find(machine) {
    const inDatabase = findConversations(machine)
    const known = new Set(inDatabase.map(({ session }) => session))
    const written = findWritten(machine).filter((path) => !known.has(basename(path, ".jsonl")))
    return [...written.map((path): Transcript => ({ client: "cursor", path })), ...inDatabase]
  },
  recognises(path, beginning) {
    if (beginning.startsWith("SQLite format 3\0"))
      return basename(path) === databaseName && !path.includes("workspaceStorage")
    return path.endsWith(".jsonl") && firstLine.test(beginning)
  },
  read(transcript, from) {
    if (transcript.path.endsWith(".jsonl")) return readLines(transcript, from, cursorLines)
    return readDatabase(transcript, from, cursorDatabase(transcript.path))
  },
}

const databaseName = "state.vscdb"

const firstLine = /^\{"role":"(?:user|assistant)","message":\{"content":/

/** `agent-transcripts/<id>/<id>.jsonl`; sub-agents' files are in a folder beside it. */
function findWritten({ home }: Machine): string[] {
  const projects = join(home, ".cursor", "projects")
  const folders = listFolder(projects).map((project) => join(projects, project, "agent-transcripts"))
  const paths = folders.flatMap((folder) => findFiles(folder, 2, (name) => name.endsWith(".jsonl")))
  return oldestFirst(paths.filter((path) => basename(dirname(path)) === basename(path, ".jsonl")))
}

function findConversations(machine: Machine): Transcript[] {
  return editorFolders(machine, ["Cursor"])
    .map((folder) => join(folder, "globalStorage", databaseName))
    .flatMap((path) =>
      listCursorConversations(path).map((session): Transcript => ({ client: "cursor", path, session })),
    )
}

/**
 * The folder for Cursor's name of it, in which `/` and `.` became `-`; only if it exists and no other folder matches.
 */
function folderOfSlug(slug: string, root = parse(process.cwd()).root): string | undefined {
  const found = foldersOf(slug, root)
  return found.length === 1 ? found[0] : undefined
}

function foldersOf(slug: string, folder: string): string[] {
  return subfolders(folder).flatMap((name) => {
    const path = join(folder, name)
    const part = name.replace(/[/.]/g, "-")
    if (part === slug) return [path]
    return part !== "" && slug.startsWith(`${part}-`) ? foldersOf(slug.slice(part.length + 1), path) : []
  })
}

function subfolders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(isFolder)
      .map(({ name }) => name)
  } catch {
    return [] // not accessible, so not the one
  }
}

function isFolder(entry: Dirent): boolean {
  return entry.isDirectory()
}

/** The user's own text: the content of `<user_query>`, or a whole text without wrappers. */
export function cursorUserText(text: string): { words: string; isWrapped: boolean } {
  const typed = typedTextInTag(text, "user_query")
  if (typed !== undefined) return { words: typed, isWrapped: true }
  const isClients = /^\s{0,20}<[a-z][a-z_-]{1,60}>/.test(text) // files, rules or notices without any text of the user
  return { words: isClients ? "" : text, isWrapped: isClients }
}

/** The MCP server of a `CallMcpTool` call; Cursor prefixes its name with `user-` or the project. */
export function cursorServer(input: JsonObject): string | undefined {
  return textOf(input.server)?.split("-").at(-1)
}
