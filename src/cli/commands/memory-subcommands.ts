import type { Command } from "commander"
import { DreyError, exitCode } from "../../errors.ts"
import { agentOfScope, isScope } from "../../formats/entry.ts"
import {
  type MemoryCommandOptions,
  type MemoryOutput,
  memorySubcommand,
  readBoolean,
  requireText,
  runMemory,
} from "./memory-output.ts"

type Options = MemoryCommandOptions & {
  content?: string
  title?: string
  author?: string
  class?: string
  approved?: string | true
  loadGuidance?: string
  scope?: string
  tags?: string
}

export function memoryWriteCommand(face: MemoryOutput): Command {
  return memorySubcommand(
    "write",
    "Store a memory if governance accepts it; with --scope agent:<name>, append it to that agent's history.",
    'drey memory write "Use tabs" --class DECISION --author kane\ndrey memory write "Queues block" --scope agent:kane',
  )
    .argument("[content...]", "the text")
    .option("--content <text>", "the text, instead of the words")
    .option("--title <title>", "default: the first line")
    .option("--author <name>", "the author")
    .option("--class <class>", "LOCAL, DECISION, POLICY or COPILOT_MEMORY; default: detected from the text")
    .option("--approved [boolean]", "allow storing it in an external memory")
    .option("--load-guidance <guidance>", "ALWAYS, ON-DEMAND, ARCHIVE or NEVER")
    .option("--scope <scope>", "team, project, agent:<name> or skill:<name>")
    .option("--tags <tags>", "comma-separated")
    .action((words: string[], options: Options) =>
      runMemory(face, "write", options, async (memory, log) => {
        const { approved, rest } = readApproved(options.approved)
        const content = requireText(
          options.content,
          [...rest, ...words],
          "drey memory write <content> [--class <class>]",
        )
        const { title, author } = options
        log("debug", "write.request", {
          contentLength: content.length,
          requestedClass: options.class ?? "auto",
          titleProvided: title !== undefined,
          authorProvided: author !== undefined,
        })
        const started = performance.now()
        const agent = agentOf(options)
        const tags = options.tags?.split(",").map((tag) => tag.trim())
        const metadata = {
          ...(options.scope === undefined ? {} : { scope: options.scope }),
          ...(tags === undefined ? {} : { tags: tags.join(", ") }),
        }
        const result =
          agent === undefined
            ? await memory.write({
                content,
                title,
                author,
                class: options.class,
                approved,
                loadGuidance: options.loadGuidance,
                metadata,
              })
            : await memory.writeForAgent(agent, { content, title, author, ...(tags === undefined ? {} : { tags }) })
        const { class: memoryClass, allowed, destination, loadGuidance } = result.classification
        log("info", "write.complete", {
          stored: result.stored,
          class: memoryClass,
          allowed,
          destination,
          loadGuidance,
          elapsedMs: Math.round(performance.now() - started),
        })
        return { document: result, code: result.stored ? exitCode.done : exitCode.no }
      }),
    )
}

/** `--approved` takes an optional value; a following word that is not a boolean is the start of the content. */
function readApproved(value: string | true | undefined): { approved: boolean; rest: string[] } {
  if (value === undefined || value === true) return { approved: value === true, rest: [] }
  const read = readBoolean(value)
  return read === undefined ? { approved: true, rest: [value] } : { approved: read, rest: [] }
}

function agentOf({ scope, class: requested }: Options): string | undefined {
  if (scope === undefined) return undefined
  if (!isScope(scope))
    throw new DreyError(`"${scope}" is not a scope. Write team, project, agent:<name> or skill:<name>.`)
  const agent = agentOfScope(scope)
  if (agent !== undefined && requested !== undefined && requested.trim().toUpperCase() !== "LOCAL") {
    throw new DreyError("An agent's own memory is LOCAL: omit --class or --scope")
  }
  return agent
}

type OptionsSearch = MemoryCommandOptions & {
  query?: string
  class?: string
  type?: string
  author?: string
  after?: string
  before?: string
  recent?: string
  tags?: string
  scope?: string
  source?: string
  agent?: string
  all?: boolean
}

export function memorySearchCommand(face: MemoryOutput): Command {
  return memorySubcommand(
    "search",
    "Find memories, entries and skills by their words, in any order.",
    "drey memory search regression Vitest\ndrey memory search '\"API design\"' --source decisions\ndrey memory search authentication --agent kane",
  )
    .argument("[words...]", 'words, word prefixes, "phrases", -excluded')
    .option("--query <text>", "the query, instead of the words")
    .optionsGroup("Filters:")
    .option("--class <class>", "LOCAL, DECISION, POLICY or COPILOT_MEMORY")
    .option("--type <type>", "decision, directive, memory or note")
    .option("--author <name>", "only entries by this person or agent")
    .option("--after <date>", "on or after this date or time")
    .option("--before <date>", "before this date or time")
    .option("--recent <time>", "within the last 24h, 7d, 2w or 3m")
    .option("--tags <tags>", "comma-separated; results must have all of them")
    .option("--scope <scope>", "team, project, agent:<name> or skill:<name>")
    .option("--source <source>", "memory, policy, decisions, inbox, archive, history or skills")
    .option("--agent <name>", "only this agent's memory")
    .option("--all", "include archived and superseded items")
    .action((words: string[], options: OptionsSearch) =>
      runMemory(face, "search", options, async (memory, log) => {
        const query = requireText(options.query, words, "drey memory search <words>")
        log("debug", "search.request", { queryLength: query.length })
        const started = performance.now()
        const { query: _, tags, ...filters } = options
        const results = await memory.search(query, { ...filters, tags: tags?.split(",").map((tag) => tag.trim()) })
        const providers = [...new Set(results.map(({ provider }) => provider))].join(",") || "none"
        const elapsedMs = Math.round(performance.now() - started)
        log("info", "search.complete", { count: results.length, providers, elapsedMs })
        return { document: results }
      }),
    )
}

export function memoryReadCommand(face: MemoryOutput): Command {
  return memorySubcommand(
    "read",
    "Show one governed memory with its text.",
    "drey memory read 0b9f1c2e-5a77-4c8e-9d52-3f6a0f1f8f11",
  )
    .argument("[id]", "the memory")
    .action((id: string | undefined, options: MemoryCommandOptions) =>
      runMemory(face, "read", options, async (memory, log) => {
        if (id === undefined) throw new DreyError("Usage: drey memory read <id>")
        const found = await memory.read(id)
        log("info", "read.complete", { class: found.class, path: found.path })
        return { document: found }
      }),
    )
}

type OptionsList = MemoryCommandOptions & { class?: string; all?: boolean }

export function memoryListCommand(face: MemoryOutput): Command {
  return memorySubcommand("list", "List the governed memories.", "drey memory list --class DECISION")
    .option("--class <class>", "LOCAL, DECISION, POLICY or COPILOT_MEMORY")
    .option("--all", "include superseded and deleted memories")
    .action((options: OptionsList) =>
      runMemory(face, "list", options, async (memory, log) => {
        const records = await memory.list({ all: options.all === true, class: options.class })
        log("info", "list.complete", { count: records.length })
        return { document: records }
      }),
    )
}

type OptionsPromote = MemoryCommandOptions & { class?: string; actor?: string }

const usage = "drey memory promote <id> --class LOCAL|DECISION|POLICY|COPILOT_MEMORY [--actor <name>]"

export function memoryPromoteCommand(face: MemoryOutput): Command {
  return memorySubcommand(
    "promote",
    "Store a memory under another class; the old one is superseded and both are linked.",
    "drey memory promote 0b9f1c2e-5a77-4c8e-9d52-3f6a0f1f8f11 --class DECISION --actor scribe",
  )
    .argument("[id]", "the memory")
    .option("--class <class>", "LOCAL, DECISION, POLICY or COPILOT_MEMORY")
    .option("--actor <name>", "who promotes it, for the audit log")
    .action((id: string | undefined, options: OptionsPromote) =>
      runMemory(face, "promote", options, async (memory, log) => {
        if (id === undefined || options.class === undefined) throw new DreyError(`Usage: ${usage}`)
        log("debug", "promote.request", { requestedClass: options.class })
        const result = await memory.promote(id, options.class, options.actor)
        log("info", "promote.complete", { class: result.classification.class, stored: result.stored })
        return { document: result, code: result.stored ? exitCode.done : exitCode.no }
      }),
    )
}

type OptionsDelete = MemoryCommandOptions & { actor?: string }

export function memoryDeleteCommand(face: MemoryOutput): Command {
  return memorySubcommand(
    "delete",
    "Delete a memory here and at every provider that has a copy; a tombstone is kept.",
    "drey memory delete 0b9f1c2e-5a77-4c8e-9d52-3f6a0f1f8f11 --actor scribe",
  )
    .argument("[id]", "the memory")
    .option("--actor <name>", "who deletes it, for the audit log")
    .action((id: string | undefined, options: OptionsDelete) =>
      runMemory(face, "delete", options, async (memory, log) => {
        if (id === undefined) throw new DreyError("Usage: drey memory delete <id> [--actor <name>]")
        const deleted = await memory.delete(id, options.actor)
        log("info", "delete.complete", { deleted })
        return { document: { deleted }, code: deleted ? exitCode.done : exitCode.no }
      }),
    )
}

type OptionsClassify = MemoryCommandOptions & { content?: string; class?: string; loadGuidance?: string }

export function memoryClassifyCommand(face: MemoryOutput): Command {
  return memorySubcommand(
    "classify",
    "Check whether a text would be accepted, without storing it (dry run).",
    'drey memory classify "Always use tabs"',
  )
    .argument("[content...]", "the text")
    .option("--content <text>", "the text, instead of the words")
    .option("--class <class>", "LOCAL, DECISION, POLICY or COPILOT_MEMORY")
    .option("--load-guidance <guidance>", "ALWAYS, ON-DEMAND, ARCHIVE or NEVER")
    .action((words: string[], options: OptionsClassify) =>
      runMemory(face, "classify", options, async (memory, log) => {
        const content = requireText(options.content, words, "drey memory classify <content> [--class <class>]")
        log("debug", "classify.request", { contentLength: content.length, requestedClass: options.class ?? "auto" })
        const started = performance.now()
        const request = { content, class: options.class, loadGuidance: options.loadGuidance }
        const classification = await memory.classify(request)
        const { class: memoryClass, allowed, destination, loadGuidance } = classification
        const elapsedMs = Math.round(performance.now() - started)
        log("info", "classify.complete", { class: memoryClass, allowed, destination, loadGuidance, elapsedMs })
        return { document: classification, code: allowed ? exitCode.done : exitCode.no }
      }),
    )
}
