import type { WholeItem } from "../drey/search.ts"
import { DreyError } from "../errors.ts"
import { describeDuration, describeSession, listFiles } from "../formats/client-session.ts"
import { agentOfScope, isScope } from "../formats/entry.ts"
import { contextId, handleOf } from "../formats/ids.ts"
import { quote, quoteInline } from "../formats/text.ts"
import { dayOf, parseDuration } from "../formats/timestamp.ts"
import type { AuditRecord } from "../governance/audit.ts"
import type { EverythingHit } from "../recall/search/combined-search.ts"
import type { Recent, RecentSession } from "../recall/search/recent-activity.ts"
import type { WriteResult } from "../team/governed/governed-write.ts"
import { type ArgumentsOf, callingAgent, refusal, type ToolAnswer, type ToolCallContext } from "./tool.ts"
import type { allTools } from "./tools.ts"

type Given<Name extends keyof typeof allTools> = ArgumentsOf<(typeof allTools)[Name]["inputSchema"]>

// These answers use Squad's wording: agents and programs written for Squad parse them.

export async function memoryClassify(
  given: Given<"memory_classify">,
  { drey, ...call }: ToolCallContext,
): Promise<ToolAnswer> {
  const memory = drey.governed
  const { class: memoryClass, allowed, reason } = await memory.classify(given, { actor: callingAgent(call) })
  const text = `${memoryClass}: ${reason}`
  return allowed ? { text, data: { class: memoryClass, allowed, reason } } : refusal(text)
}

export async function memoryWrite(
  given: Given<"memory_write">,
  { drey, ...call }: ToolCallContext,
): Promise<ToolAnswer> {
  const { content, title, author, approved, scope, tags } = given
  if (scope !== undefined && !isScope(scope))
    throw new DreyError("The scope must be team, project, agent:NAME or skill:NAME")
  const memory = drey.governed.as({ agent: callingAgent(call) })
  const owner = scope === undefined ? undefined : agentOfScope(scope)
  if (owner !== undefined && given.class !== undefined && given.class !== "LOCAL")
    throw new DreyError("An agent's own memory is LOCAL: omit class or scope")
  const metadata = {
    ...(scope === undefined ? {} : { scope }),
    ...(tags === undefined ? {} : { tags: tags.join(", ") }),
  }
  const result =
    owner === undefined
      ? await memory.write({ content, title, author, class: given.class, approved, metadata })
      : await memory.writeForAgent(owner, { content, title, author, ...(tags === undefined ? {} : { tags }) })
  const { class: memoryClass, reason } = result.classification
  if (!result.stored) return refusal(`Rejected ${memoryClass} memory: ${reason}`)
  const stored = `Stored ${memoryClass} memory ${result.id} at ${result.path}`
  return { text: [stored, ...proposalNote(result)].join("\n"), data: storedData(result) }
}

/** An agent's rule is stored as a proposal; without this note the agent would treat it as active. */
function proposalNote({ classification }: WriteResult): string[] {
  const isProposal = classification.class === "POLICY" && classification.destination === "decision-inbox"
  return isProposal ? ["It is a proposal: it is not a rule until the user accepts it in the decisions inbox."] : []
}

const defaultHits = 10

export async function memorySearch(
  given: Given<"memory_search">,
  { drey, progress }: ToolCallContext,
): Promise<ToolAnswer> {
  const { query, agent, all, source, limit = defaultHits } = given
  if (query.trim() === "") throw new DreyError("The query is empty")
  const outcome = await drey.search.everything({ text: query, agent, all, source, limit }, { progress })
  if (outcome.kind === "refused") return refusal(outcome.reason)
  const isTrusted = (await drey.team.trust()).kind === "trusted"
  const hits = outcome.hits.map((hit) => ({
    ...hit,
    class: isTrusted ? hit.class : "UNTRUSTED", // an untrusted clone's classes do not count
    title: quoteInline(hit.title),
    snippet: quoteInline(hit.snippet),
  }))
  const text = hits.length === 0 ? "No governed memory entries matched." : hits.map(hitLine).join("\n")
  return { text, data: { results: hits } }
}

type ShownHit = Omit<EverythingHit, "class"> & { class: string }

function hitLine({ id, class: memoryClass, title, snippet, sharedBy }: ShownHit): string {
  const shared = sharedBy === undefined ? "" : ` (shared by ${quoteInline(sharedBy)})`
  return `${contextId(id)} [${memoryClass}] ${title}: ${snippet}${shared}`
}

export async function memoryPromote(
  given: Given<"memory_promote">,
  { drey, ...call }: ToolCallContext,
): Promise<ToolAnswer> {
  const { id, targetClass } = given
  const agent = callingAgent(call)
  const result = await drey.governed.as({ agent }).promote(id, targetClass, agent)
  if (!result.stored) return refusal(`Promotion rejected: ${result.classification.reason}`)
  const [note] = proposalNote(result)
  const text =
    note === undefined
      ? `Promoted memory ${id} to ${targetClass} as ${result.id}`
      : `Proposed memory ${id} as a rule at ${result.path}\n${note}`
  return { text, data: storedData(result) }
}

export async function memoryDelete(
  given: Given<"memory_delete">,
  { drey, ...call }: ToolCallContext,
): Promise<ToolAnswer> {
  const { id } = given
  const agent = callingAgent(call)
  const isDeleted = await drey.governed.as({ agent }).delete(id, agent)
  return isDeleted ? { text: `Deleted memory ${id}`, data: { id } } : refusal(`Memory ${id.slice(0, 80)} not found`)
}

const defaultRecords = 50

export async function memoryAudit(given: Given<"memory_audit">, { drey }: ToolCallContext): Promise<ToolAnswer> {
  const { limit = defaultRecords, verify = false } = given
  const memory = drey.governed
  if (verify) {
    const { ok, lines, problems, warnings } = await memory.verifyAudit()
    const whole = [`The audit log is intact: ${lines} lines.`, ...warnings].join(" ")
    if (ok) return { text: whole, data: { ok, lines, warnings } }
    const found = problems.map(({ path, line, message }) => `${path}:${line} ${message}`)
    return refusal(["The audit log was changed:", ...found].join("\n"))
  }
  const records = (await memory.audit()).slice(-limit)
  if (records.length === 0) return { text: "No governed memory audit records.", data: { records } }
  return { text: records.map(auditLine).join("\n"), data: { records } }
}

function auditLine({ timestamp, action, class: memoryClass, id, title, reason }: AuditRecord): string {
  return [timestamp, action, memoryClass ?? "", id ?? "", title ?? "", reason ?? ""].join(" ").trim()
}

function storedData(result: Extract<WriteResult, { stored: true }>): Record<string, unknown> {
  return { id: result.id, class: result.classification.class, path: result.path }
}

type GivenRead = ArgumentsOf<(typeof allTools)["memory_read"]["inputSchema"]>

const mostIds = 20

/** Text only: a client that also gets data would show the model the content without its quoting. */
export async function memoryRead({ ids }: GivenRead, { drey, ...call }: ToolCallContext): Promise<ToolAnswer> {
  if (ids.length === 0 || ids.length > mostIds) throw new DreyError(`memory_read takes 1 to ${mostIds} ids`)
  const isTrusted = (await drey.team.trust()).kind === "trusted"
  const read: string[] = []
  const problems: string[] = []
  for (const id of new Set(ids)) {
    const whole = await drey.search.read(id, callingAgent(call))
    if (whole.kind === "read") read.push(itemText(whole, isTrusted))
    else if (whole.kind === "past") read.push(pastText(whole))
    else problems.push(problemText(id, whole))
  }
  const text = [...read, ...problems].join("\n\n")
  return read.length === 0 ? refusal(text) : { text }
}

type Read = Extract<WholeItem, { kind: "read" }>

/** One line of facts known to Drey; content from files or memories is quoted below it. */
function itemText({ item, evidence }: Read, isTrusted: boolean): string {
  const { id, source, type, at, author, contributors, title, text, path, line, agent, supersedes, supersededBy } = item
  const marks = [
    isTrusted ? `${type} (${sourceNames[source] ?? source})` : "entry", // an untrusted clone's types do not count
    at === undefined ? "undated" : dayOf(at),
    ...(item.load === "ARCHIVE" ? ["archived"] : []),
    ...(supersededBy.length > 0 ? ["superseded"] : []),
  ]
  const links: [string, readonly string[]][] = [
    ["superseded by", supersededBy],
    ["supersedes", supersedes],
    ["only for agent", agent === undefined ? [] : [agent]],
  ]
  const place = path === "" ? [] : [`${path}:${line}`]
  const words = text.startsWith(title) ? text : `${title}\n\n${text}`
  return [
    `[${quoteInline(id)}] ${marks.join(" · ")}`,
    `> by ${[[author, ...contributors].map(quoteInline).join(", "), ...place.map(quoteInline)].join(" · ")}`,
    ...links.flatMap(([name, ids]) => (ids.length === 0 ? [] : [`> ${name}: ${ids.map(quoteInline).join(", ")}`])),
    ...evidence.map(({ transcript, line: at, quote: words, created }) =>
      quote(`seen ${created.slice(0, 10)} in ${transcript}:${at}${words === "" ? "" : `: “${words}”`}`),
    ),
    ">",
    quote(words),
  ].join("\n")
}

/** What was said and done, whole but for the transcript itself. */
function pastText({ item, told, linked }: Extract<WholeItem, { kind: "past" }>): string {
  const day = item.at === undefined ? "undated" : dayOf(item.at)
  const head = `[${item.id}] ${item.type} · ${day}`
  const links = linked.map(
    ({ id, title }) => `${told.kind === "commit" ? "made in conversation" : "commit"}: [${id}] ${title}`,
  )
  if (told.kind === "commit")
    return [head, ...[`by ${item.author}`, ...links, ...filesLine(told.files)].map(quoted), ">", quote(item.text)].join(
      "\n",
    )
  const tried = told.tried.map(
    ({ command, result, error }) => `${result}: ${command}${error === undefined ? "" : `: ${error}`}`,
  )
  const said = told.said.map(({ by, text, line }) => quote(`${by} (line ${line}): ${text}`))
  const facts = [
    `in ${told.client}, session ${told.session} · result: ${told.outcome} · ${item.path}:${item.line}`,
    ...links,
  ]
  return [head, ...[...facts, ...filesLine(told.edited), ...tried].map(quoted), ">", ...said].join("\n")
}

function filesLine(files: readonly string[]): string[] {
  return files.length === 0 ? [] : [`files: ${listFiles(files, width)}`]
}

const sourceNames: Partial<Record<Read["item"]["source"], string>> = {
  inbox: "a proposal, not merged yet",
  history: "an agent's history",
  session: "a session's note",
  skills: "a skill of the team",
}

function problemText(typed: string, whole: Exclude<WholeItem, { kind: "read" | "past" }>): string {
  const id = quoteInline(typed).slice(0, 80)
  if (whole.kind === "several")
    return `${id} matches several ids: ${whole.ids.slice(0, mostIds).map(quoteInline).join(", ")}`
  if (whole.kind === "none") return `No item has the id ${id}. Use memory_search to find ids.`
  const replaced = whole.replacedBy.length === 0 ? "" : `; it was replaced by ${whole.replacedBy.join(", ")}`
  return `${whole.id} is no longer active${replaced}.`
}

type GivenRecent = ArgumentsOf<(typeof allTools)["recent"]["inputSchema"]>

/** What happened before the calling session, as quoted lines. */
export async function recent(
  { limit, since, agent }: GivenRecent,
  { drey, session }: ToolCallContext,
): Promise<ToolAnswer> {
  const forMs = since === undefined ? undefined : parseDuration(since)
  if (since !== undefined && forMs === undefined)
    throw new DreyError('"since" must be a time such as 24h, 7d, 2w or 3m')
  const found = await drey.search.recent({ limit, forMs, agent, without: session })
  const { left, problem } = found.unread
  const unread = problem ?? (left > 0 ? `${left} changed transcripts were not read; run drey ingest` : undefined)
  const parts = [
    ...(found.recent ? partsOf(found.recent) : []),
    ...(unread === undefined ? [] : [`Sessions may be missing: ${unread}.`]),
  ]
  return { text: parts.length === 0 ? "Nothing is recorded for that time." : parts.join("\n\n") }
}

function partsOf({ sessions, entries, logs, notes, open, uncommitted }: Recent): string[] {
  const told = new Set(sessions.flatMap(({ decided }) => decided))
  const written = [
    ...entries.filter((entry) => !told.has(entry)).map((entry) => ({ ...entry, kind: entry.type })),
    ...notes.map((note) => ({ ...note, kind: `session note, ${note.type}` })),
  ].map(({ id, kind, at, author, path, line, title }) =>
    quoted(
      `[${contextId(id)}] ${kind}, ${at === undefined ? "undated" : dayOf(at)}, ${author}, ${path}:${line}: ${title}`,
    ),
  )
  const lines = [
    ...written,
    ...logs.map(({ at, topic, path }) => quoted(`log, ${dayOf(at)}, ${path}: ${topic}`)),
    ...open.map(({ kind, text, agent, path, line }) =>
      quoted(`left open, ${kind}, ${agent}, ${path}:${line}: ${text}`),
    ),
  ]
  return [
    ...sessions.map(sessionText),
    ...(lines.length === 0 ? [] : [["Entries and notes:", ...lines].join("\n")]),
    ...(uncommitted.length === 0 ? [] : [`Not committed:\n${quoted(listFiles(uncommitted, width))}`]),
  ]
}

const width = 200

function sessionText({ decided, ...session }: RecentSession): string {
  const { name, start, end, isRunning } = session
  const learned = session.learned.map((memory) => ({ ...memory, id: handleOf(memory.id) }))
  const lines = describeSession({ ...session, learned }, { decided, width })
  const time = (moment: number) => `${new Date(moment).toISOString().slice(0, 16).replace("T", " ")}`
  const facts = isRunning ? "still running" : describeDuration(end - start)
  return [
    `${time(start)} to ${time(end)} UTC, ${name}, ${facts}:`,
    ...lines.map(({ label, text }) => quoted(`${label}: ${text}`)),
  ].join("\n")
}

function quoted(line: string): string {
  return `> ${quoteInline(line)}`
}
