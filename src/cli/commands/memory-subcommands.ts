import type { Command } from "commander"
import type { Governed } from "../../drey/governed.ts"
import { type Drey, openDrey } from "../../drey.ts"
import { DreyError, type ExitCode, exitCode } from "../../errors.ts"
import { agentOfScope, isScope } from "../../formats/entry.ts"
import { contextId } from "../../formats/ids.ts"
import { omitUndefined } from "../../formats/objects.ts"
import { removeInvisible, removeInvisibleInLines } from "../../formats/text.ts"
import { actingAgent } from "../../hooks/acting-agent.ts"
import type { MemoryLogLevel } from "../../team/governed/log-level.ts"
import { command } from "../command.ts"
import { parseCount, parseSince } from "../option-values.ts"
import { colors, toJson, writeOut } from "../output.ts"
import { type CommonOptions, listLine, printNotice } from "../print.ts"

/** The output of the memory commands; a program that runs them in process passes its own. */
export type MemoryOutput = {
  /** A person reads it: text instead of Squad's JSON. */
  isTerminal?: boolean
  print(text: string): void
  tell(text: string): void
  end(code: ExitCode): void
}

export const processOutput: MemoryOutput = {
  isTerminal: process.stdout.isTTY === true,
  print: (text) => writeOut(`${text}\n`, { paged: false }),
  tell: printNotice,
  end: (code) => {
    process.exitCode = code
  },
}

type MemoryCommandOptions = CommonOptions & { logLevel?: string; verbose?: boolean }

/** Logs an event to stderr as `key=value` pairs: lengths, counts and classes, never content. */
export type MemoryLog = (
  level: Exclude<MemoryLogLevel, "none">,
  event: string,
  fields?: Record<string, unknown>,
) => void

/** A subcommand of `drey memory` that prints JSON, with the options all of them share. */
function memorySubcommand(name: string, description: string, example: string): Command {
  return command(name, description, example)
    .option("--log-level <level>", "log to stderr: none, error, info or debug")
    .option("-v, --verbose", "the same as --log-level debug")
}

/** Runs one subcommand: opens the store, logs beginning and errors, prints the document it gives. */
async function runMemory(
  face: MemoryOutput,
  name: string,
  options: MemoryCommandOptions,
  act: (memory: Governed, log: MemoryLog) => Promise<{ document: unknown; code?: ExitCode }>,
): Promise<void> {
  const drey = openDrey({ ...options, agent: actingAgent(process.env) })
  const log = await openLog(face, drey, options)
  log("info", "command.start", { command: name })
  try {
    const memory = drey.governed.as({ warn: (message) => face.tell(`drey: ${message}`) })
    const { document, code } = await act(memory, log)
    face.print(face.isTerminal && !options.json ? documentText(document) : toJson(document))
    face.end(code ?? exitCode.done)
  } catch (error) {
    log("error", "command.error", { command: name, error: error instanceof DreyError ? "DreyError" : "Error" })
    throw error
  }
}

type Fields = Record<string, unknown>

/** A document for a person: a line for each record of a list, a line for each field of a record, and its text below them. */
function documentText(document: unknown): string {
  if (Array.isArray(document)) {
    const rows = document.filter(isFields)
    return rows.length === 0 ? "Nothing found." : rows.map(rowText).join("\n")
  }
  if (!isFields(document)) return String(document)
  const { content, ...fields } = document
  return [...fieldLines(fields), ...(typeof content === "string" ? ["", removeInvisibleInLines(content)] : [])].join(
    "\n",
  )
}

function rowText({ id, class: memoryClass, title, path, timestamp, action, actor, snippet }: Fields): string {
  const shown = (value: unknown) => (typeof value === "string" && value !== "" ? [value] : [])
  const when = shown(timestamp).map((time) => time.slice(0, 16).replace("T", " "))
  const lead = [...when, ...shown(action), ...shown(id).map((each) => contextId(each)), ...shown(memoryClass)]
  const text = shown(title)[0] ?? shown(snippet)[0] ?? ""
  return listLine(colors.cyan(removeInvisible(lead.join("  "))), text, [...shown(actor), ...shown(path)].join("  "))
}

function fieldLines(fields: Fields, indent = ""): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined || value === null) return []
    const label = `${indent}${colors.dim(name)}`
    if (isFields(value)) return Object.keys(value).length === 0 ? [] : [label, ...fieldLines(value, `${indent}  `)]
    if (!Array.isArray(value)) return [`${label}  ${removeInvisible(String(value))}`]
    const rows = value.map((each) => (isFields(each) ? rowText(each) : removeInvisible(String(each))))
    return rows.length === 0 ? [] : [label, ...rows.map((row) => `${indent}  ${row}`)]
  })
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The text of a command: from the flag, otherwise from the words; without either, the command's usage. */
function requireText(flag: string | undefined, words: readonly string[], usage: string): string {
  const text = flag ?? words.join(" ")
  if (text.trim() === "") throw new DreyError(`Usage: ${usage}`)
  return text
}

/** `true`, `1`, `yes`, `on` and their opposites; undefined for any other word. */
function readBoolean(word: string): boolean | undefined {
  if (/^(?:true|1|yes|on)$/i.test(word.trim())) return true
  return /^(?:false|0|no|off)$/i.test(word.trim()) ? false : undefined
}

const rank: Record<MemoryLogLevel, number> = { none: 0, error: 1, info: 2, debug: 3 }

async function openLog(face: MemoryOutput, drey: Drey, options: MemoryCommandOptions): Promise<MemoryLog> {
  const request = { flag: options.logLevel, verbose: options.verbose }
  const { level: chosen, warning, show } = await drey.governed.logLevel(request)
  if (warning) face.tell(`drey: ${warning}`)
  return (level, event, fields = {}) => {
    if (rank[level] > rank[chosen]) return
    const pairs = Object.entries(fields).filter(([, value]) => value !== undefined)
    face.tell([`[memory:${level}]`, event, ...pairs.map(([key, value]) => `${key}=${show(value)}`)].join(" "))
  }
}

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

type OptionsAudit = MemoryCommandOptions & { verify?: boolean; since?: string; limit?: string }

export function memoryAuditCommand(face: MemoryOutput): Command {
  return memorySubcommand(
    "audit",
    "Show the audit log of governed memory, or verify that it was not changed.",
    "drey memory audit --since 7d\ndrey memory audit --verify",
  )
    .option("--verify", "verify the hash chains; exit code 1 when a line was edited, removed or inserted")
    .option("--since <time>", "since this date or time, or within the last 24h, 7d, 2w or 3m")
    .option("-n, --limit <number>", "only the newest")
    .action((options: OptionsAudit) =>
      runMemory(face, "audit", options, async (memory, log) => {
        if (options.verify) {
          const verification = await memory.verifyAudit()
          log("info", "audit.complete", { ok: verification.ok, count: verification.lines })
          return { document: verification, code: verification.ok ? exitCode.done : exitCode.no }
        }
        const records = await memory.audit(options.since === undefined ? {} : { since: parseSince(options.since) })
        const most = options.limit === undefined ? records.length : parseCount(options.limit, "lines", 1, 1_000_000)
        const shown = most === 0 ? records : records.slice(-most)
        log("info", "audit.complete", { count: shown.length })
        return { document: shown }
      }),
    )
}

type OptionsProvider = MemoryCommandOptions & {
  enableHostInjectedCopilotAdapter?: boolean
  enableCopilot?: boolean
  disableHostInjectedCopilotAdapter?: boolean
  disableCopilot?: boolean
  defaultHostInjectedCopilotAdapter?: boolean
  defaultCopilot?: boolean
  provider?: string
  requireApproval?: string
  actor?: string
}

export function memoryProviderCommand(face: MemoryOutput): Command {
  return memorySubcommand(
    "provider",
    "Show or change the memory providers outside the repository.",
    "drey memory provider\ndrey memory provider --enable-host-injected-copilot-adapter --require-approval true",
  )
    .aliases(["providers", "status"])
    .option(
      "--enable-host-injected-copilot-adapter",
      "allow a client supplied by the host program to store COPILOT_MEMORY",
    )
    .option("--enable-copilot", "the same")
    .option("--disable-host-injected-copilot-adapter", "turn it off")
    .option("--disable-copilot", "the same")
    .option("--default-host-injected-copilot-adapter", "turn it on and make it the default")
    .option("--default-copilot", "refused: there is no such API")
    .option("--provider <name>", "local or hostInjectedCopilotAdapter as the default")
    .option("--require-approval <boolean>", "whether each write to it needs --approved")
    .option("--actor <name>", "who changes it, for the audit log")
    .action((options: OptionsProvider) =>
      runMemory(face, "provider", options, async (memory, log) => {
        const before = await memory.providerStatus()
        const change = readChange(options, before.hostInjectedCopilotAdapter.enabled)
        if (change) {
          log("info", "provider.configure.request", { enabled: change.enabled })
          await memory.configureProvider(change)
          log("info", "provider.configure.complete", { enabled: change.enabled })
        }
        const status = change ? await memory.providerStatus() : before
        log("info", "provider.status.complete", { defaultProvider: status.defaultProvider })
        return { document: status }
      }),
    )
}

const providers = ["local", "hostInjectedCopilotAdapter", "copilot"] as const

function readChange(options: OptionsProvider, wasEnabled: boolean) {
  const isDefault = options.defaultHostInjectedCopilotAdapter === true
  const named = options.defaultCopilot ? "copilot" : options.provider
  const wanted = named === undefined ? undefined : providers.find((name) => name.toLowerCase() === named.toLowerCase())
  if (named !== undefined && wanted === undefined) throw new DreyError(`Unknown memory provider: ${named}`)
  const defaultProvider = isDefault ? providers[1] : wanted
  const requireApproval = options.requireApproval === undefined ? undefined : readFlag(options.requireApproval)
  const enable = options.enableHostInjectedCopilotAdapter || options.enableCopilot || isDefault
  const disable = options.disableHostInjectedCopilotAdapter || options.disableCopilot
  if (!enable && !disable && defaultProvider === undefined && requireApproval === undefined) return undefined
  return {
    enabled: enable ? true : disable ? false : wasEnabled,
    ...omitUndefined({ requireApproval, defaultProvider }),
    actor: options.actor,
  }
}

function readFlag(word: string): boolean {
  const value = readBoolean(word)
  if (value === undefined) throw new DreyError(`"${word}" is neither true nor false`)
  return value
}

export function memoryReindexCommand(face: MemoryOutput): Command {
  return memorySubcommand(
    "reindex",
    "Rebuild the index of governed memory from its files; a corrupt index is kept as a copy.",
    "drey memory reindex",
  ).action((options: MemoryCommandOptions) =>
    runMemory(face, "reindex", options, async (memory, log) => {
      const result = await memory.reindex()
      log("info", "reindex.complete", { count: result.entries })
      return { document: result }
    }),
  )
}
