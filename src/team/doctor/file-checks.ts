import { existsSync, readFileSync } from "node:fs"
import { join, sep } from "node:path"
import { builtInConfig } from "../../config.ts"
import { readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { readFrontMatter } from "../../formats/blocks.ts"
import { type Check, type CheckResult, fail, info, pass, warn } from "../../formats/check.ts"
import type { DiagnosticCode } from "../../formats/diagnostics.ts"
import { undated } from "../../formats/legacy/fallbacks.ts"
import { readSkill } from "../../formats/skill.ts"
import { grouped, nameSome, quantity } from "../../formats/text.ts"
import { dateOf, instantOf } from "../../formats/timestamp.ts"
import type { Sensitive } from "../../governance/redaction.ts"
import { decisionsLimit, inboxLimit } from "../archive/retention.ts"
import { type IndexRecord, isOutdated, readIndexFile } from "../governed/memory-index.ts"
import { tokensOf } from "../sizes.ts"
import { readStore, type StoreFile, type StoreReading } from "../team-entries.ts"
import { listSkillFiles, listTeamFiles } from "../team-files.ts"
import type { Examined } from "./doctor-check.ts"

/** What was found in the team's files beside their entries. */
export type Scanned = { sensitive: readonly (Sensitive & { path: string })[]; unreadable: StoreReading["unreadable"] }

/** The checks of what the team's files contain; their results depend on these files, the limits in the settings and the time alone. */
export async function checkFileContents(examined: Examined, scanned: Scanned): Promise<Check[]> {
  const read = { ...examined, ...scanned, reading: readStore(examined.store, examined.now) }
  return [...readingChecks, ...entryChecks, ...sizeChecks, ...contentChecks].map(({ name, examine }) => ({
    name,
    ...examine(read),
  }))
}

type Read = Examined & Scanned & { reading: StoreReading }
type FileCheck = { name: string; examine: (read: Read) => CheckResult }

/** Check that the files can be read. */
const readingChecks: FileCheck[] = [
  { name: "readable files", examine: examineReadable },
  { name: "merge conflicts", examine: examineConflicts },
  { name: "skills", examine: examineSkills },
  { name: "index against files", examine: examineIndexAgainstFiles },
]

function examineReadable({ store, reading, unreadable }: Read): CheckResult {
  const messages = new Map(
    [...reading.unreadable, ...unreadable].map(({ path, message }) => [
      path,
      message.replace(`${store.root}${sep}`, ""),
    ]),
  )
  if (messages.size === 0) return pass("All files can be read.")
  const found = `${quantity(messages.size, "file")} cannot be read, so agents never get their contents`
  return fail(`${found}: ${nameSome([...messages.values()])}. Save them as UTF-8 text, or move them elsewhere.`)
}

const conflictCodes = new Set<DiagnosticCode | string>(["conflict-marker", "merge-conflict-kept"])

function examineConflicts({ reading }: Read): CheckResult {
  const places = reading.diagnostics
    .filter(({ diagnostic }) => conflictCodes.has(diagnostic.code))
    .map(({ path, diagnostic }) => `${path}:${diagnostic.line}`)
  if (places.length === 0) return pass("No unresolved merge conflicts.")
  return fail(`${quantity(places.length, "merge conflict")} unresolved: ${nameSome(places)}. Resolve by hand.`)
}

function examineSkills({ store }: Read): CheckResult {
  const seen = new Map<string, string>()
  const shadowed: string[] = []
  const broken: string[] = []
  for (const { name, path } of listSkillFiles(store.root)) {
    if (seen.has(name)) shadowed.push(`${path} (by ${seen.get(name)})`)
    else seen.set(name, path)
    const problem = problemOf(join(store.root, path), name)
    if (problem) broken.push(`${path}: ${problem}`)
  }
  if (broken.length > 0) return warn(`${quantity(broken.length, "skill")} to fix: ${nameSome(broken)}`)
  if (shadowed.length > 0) return info(`Skills hidden by another skill of the same name: ${nameSome(shadowed)}.`)
  return pass(seen.size === 0 ? "No skills." : `${quantity(seen.size, "skill")} can be read.`)
}

function problemOf(path: string, name: string): string | undefined {
  try {
    return readSkill(readTextFile(path).text, name).diagnostics.find(({ severity }) => severity === "error")?.message
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return error.message
  }
}

function examineIndexAgainstFiles({ store, reading }: Read): CheckResult {
  const folder = store.folders[0]
  const index = folder ? readIndexFile(folder) : { kind: "absent" as const }
  if (folder && (index.kind === "absent" || isOutdated(folder)))
    return pass("The index is older than the files; the next write rebuilds it.")
  if (!folder || index.kind === "corrupt")
    return warn('The index cannot be read, so it was not compared with the files. Run "drey memory reindex" first.')
  const records = index.kind === "read" ? index.records : []
  const entryIds = new Set(reading.entries.map(({ id }) => id))
  const missing = records.filter((record) => !isThere(folder.path, record, entryIds)).map(({ id }) => id)
  const indexed = new Set(records.map(({ id }) => id))
  const orphaned = listTeamFiles(folder)
    .filter(({ path }) => /^(?:memory\/(?:local|policy-inbox)|decisions\/inbox)\/[^/]+\.md$/.test(path))
    .filter(({ absolute }) => isGovernedAndNotIn(indexed, absolute))
    .map(({ shown }) => shown)
  const repair = 'Run "drey memory reindex".'
  if (missing.length > 0)
    return fail(`${quantity(missing.length, "index record")} without an entry: ${nameSome(missing)}. ${repair}`)
  if (orphaned.length > 0)
    return warn(`${quantity(orphaned.length, "file")} without an index record: ${nameSome(orphaned)}. ${repair}`)
  return pass("Index and files agree.")
}

/** A record refers to its own file or to an entry of a larger one; memories of providers are not on disk. */
function isThere(folder: string, record: IndexRecord, entryIds: ReadonlySet<string>): boolean {
  if (record.status === "deleted" || record.class === "COPILOT_MEMORY") return true
  if (!existsSync(join(folder, record.path.replace(/^\.(?:squad|ai-team)\//, "")))) return false
  return record.anchor === undefined || entryIds.has(record.anchor)
}

function isGovernedAndNotIn(ids: ReadonlySet<string>, path: string): boolean {
  const { frontMatter } = readFrontMatter(readFileSync(path, "utf8").split("\n", 60))
  return frontMatter.id !== undefined && frontMatter.class !== undefined && !ids.has(frontMatter.id)
}

/** Check that entries are valid and up to date. */
const entryChecks: FileCheck[] = [
  { name: "fields", examine: (examined) => byCode(examined, fieldCheck) },
  { name: "references", examine: examineReferences },
  { name: "headings", examine: (examined) => byCode(examined, headingCheck) },
  { name: "summaries", examine: (examined) => byCode(examined, summaryCheck) },
  { name: "dates", examine: (examined) => byCode(examined, dateCheck) },
  { name: "rationale", examine: examineRationale },
  { name: "expired entries", examine: examineExpired },
  { name: "legacy entries", examine: examineLegacy },
]

type CodeCheck = {
  codes: DiagnosticCode[]
  verdict: (message: string) => CheckResult
  good: string
  found: [one: string, many: string]
  advice: string
}

const fieldCheck: CodeCheck = {
  codes: ["invalid-field"],
  verdict: fail,
  good: "All fields are valid.",
  found: ["invalid field", "invalid fields"],
  advice: 'Run "drey validate" for details.',
}

const headingCheck: CodeCheck = {
  codes: ["header-field-mismatch"],
  verdict: warn,
  good: "Headings and fields agree.",
  found: ["entry whose heading and fields disagree", "entries whose headings and fields disagree"],
  advice: "Change the fields to match the heading, which takes precedence.",
}

const summaryCheck: CodeCheck = {
  codes: ["summary-too-long", "title-too-long"],
  verdict: warn,
  good: "Titles and summaries have at most 120 characters.",
  found: ["title or summary over 120 characters", "titles and summaries over 120 characters"],
  advice: "Shorten them and move the rest to the details.",
}

const dateCheck: CodeCheck = {
  codes: ["implausible-date"],
  verdict: warn,
  good: "All dates are plausible.",
  found: ["date before 2020 or in the future", "dates before 2020 or in the future"],
  advice: "An agent may have invented them: look them up in git and correct them.",
}

function byCode(examined: Read, { codes, verdict, good, found, advice }: CodeCheck): CheckResult {
  const places = placesOf(examined, codes)
  if (places.length === 0) return pass(good)
  return verdict(`${quantity(places.length, ...found)}: ${nameSome(places)}. ${advice}`)
}

function examineReferences(examined: Read): CheckResult {
  const cycles = placesOf(examined, ["cyclic-supersession"])
  if (cycles.length > 0)
    return fail(`Entries supersede each other in a cycle: ${nameSome(cycles)}. Remove one of the links.`)
  const dangling = placesOf(examined, ["dangling-reference", "ambiguous-reference"])
  if (dangling.length === 0) return pass("Every reference matches exactly one entry.")
  const references = quantity(dangling.length, "reference")
  return warn(`${references} to a missing or ambiguous entry: ${nameSome(dangling)}. Refer to the entry by its id.`)
}

/** Includes legacy entries, unlike the validator: the count helps a team that has not converted yet. */
function examineRationale({ reading }: Read): CheckResult {
  const decisions = reading.entries.filter(({ entry, source }) => entry.type === "decision" && source !== "archive")
  const without = decisions.filter(({ entry }) => !entry.rationale).length
  if (without === 0) return pass("Every decision has a rationale.")
  return info(
    `${quantity(without, "decision")} of ${decisions.length} without a rationale. Decisions without a reason tend to be reopened.`,
  )
}

function examineExpired({ reading, now }: Read): CheckResult {
  const due = reading.entries.filter(
    ({ entry, source, supersededBy }) =>
      entry.expires !== undefined &&
      instantOf(entry.expires) < now.getTime() &&
      source !== "archive" &&
      supersededBy.length === 0,
  )
  if (due.length === 0) return pass("No entry is due for review.")
  const named = nameSome(due.map(({ entry, path, line }) => `"${entry.title}" (${path}:${line})`))
  return warn(
    `${quantity(due.length, "entry is", "entries are")} past the review date: ${named}. Set a new date, or write an entry that supersedes it.`,
  )
}

function examineLegacy({ reading }: Read): CheckResult {
  const legacy = reading.entries.filter((entry) => entry.format === "legacy" && entry.unit === "entry").length
  if (legacy === 0) return pass("All entries are in the current format (SEM).")
  return info(
    `${quantity(legacy, "entry is", "entries are")} in a legacy format. Preview the conversion with "drey convert-memory --dry-run".`,
  )
}

function placesOf({ reading }: Read, codes: DiagnosticCode[]): string[] {
  return reading.diagnostics
    .filter(({ diagnostic }) => codes.includes(diagnostic.code))
    .map(({ path, diagnostic }) => `${path}:${diagnostic.line}`)
}

/** Check that files are small enough for agents that read them whole. */
const sizeChecks: FileCheck[] = [
  { name: "inbox", examine: examineInbox },
  { name: "decisions size", examine: examineDecisionsSize },
  { name: "history size", examine: examineHistorySize },
  { name: "context cost", examine: examineContextCost },
]

const day = 86_400_000

function examineInbox(examined: Read): CheckResult {
  const files = ownFiles(examined).filter(({ source }) => source === "inbox")
  const { now } = examined
  const days = Math.floor(Math.max(0, ...files.map((file) => now.getTime() - writtenAt(file))) / day)
  const found = `${quantity(files.length, "file")} in the inbox, the oldest ${quantity(days, "day")} old`
  if (files.length > inboxLimit.files || days > inboxLimit.days)
    return warn(`${found}. They are proposals until accepted: run "drey inbox".`)
  return pass(files.length === 0 ? "The inbox is empty." : `${found}.`)
}

/** The entry's own date: in a fresh clone every file has a new modification time. */
function writtenAt({ read, content }: StoreFile): number {
  const dates = read.entries.map(({ entry }) => entry.timestamp).filter((timestamp) => dateOf(timestamp) !== undated)
  return dates.length > 0 ? Math.min(...dates.map(instantOf)) : content.modifiedMs
}

function examineDecisionsSize(examined: Read): CheckResult {
  const bytes = bytesOf(ownFiles(examined).filter(isDecisionsFile))
  const found = `decisions.md has ${quantity(bytes, "byte")}`
  if (bytes >= decisionsLimit) {
    const advice = `"drey archive" moves superseded entries and notes out first; moved entries are still found`
    return warn(
      `${found}: more than ${grouped(decisionsLimit)} is large for agents that read the whole file without Drey. ${advice}.`,
    )
  }
  return pass(`${found}; agents can read up to ${grouped(decisionsLimit)} whole without Drey.`)
}

function examineHistorySize(examined: Read): CheckResult {
  const historyGate = historyGateOf(examined)
  const over = ownFiles(examined).filter(({ source, content }) => source === "history" && content.bytes > historyGate)
  if (over.length === 0)
    return pass(`Every history has at most ${grouped(historyGate)} bytes; agents can read it whole without Drey.`)
  const named = over
    .sort((one, other) => other.content.bytes - one.content.bytes)
    .map(({ path, content }) => `${path} (${grouped(content.bytes)})`)
  return warn(
    `${quantity(over.length, "history", "histories")} over ${grouped(historyGate)} bytes: ${nameSome(named)}. That is large for agents that read the whole file without Drey. "drey summarize" moves the oldest parts to an archive; their agent still finds them.`,
  )
}

function examineContextCost(examined: Read): CheckResult {
  const files = ownFiles(examined)
  const shared = bytesOf(files.filter(isDecisionsFile))
  const histories = files.filter(({ source, path }) => source === "history" && !path.includes("/_alumni/"))
  if (histories.length === 0)
    return pass(`An agent that reads decisions.md whole loads ${quantity(tokensOf(shared), "token")}.`)
  const costs = [...new Set(histories.map(({ agent }) => agent ?? ""))]
    .map((agent) => ({ agent, tokens: tokensOf(shared + bytesOf(histories.filter((file) => file.agent === agent))) }))
    .sort((one, other) => other.tokens - one.tokens)
  const named = nameSome(costs.map(({ agent, tokens }) => `${agent} ${grouped(tokens)}`))
  const found = `Tokens that an agent loads with decisions.md and its own history: ${named}`
  const limit = tokensOf(decisionsLimit + historyGateOf(examined))
  if ((costs[0]?.tokens ?? 0) > limit)
    return warn(
      `${found}. More than ${grouped(limit)} is large for agents that read whole files without Drey. Run "drey tidy" to reduce it; moved entries are still found.`,
    )
  return pass(`${found}.`)
}

function historyGateOf({ config }: Read): number {
  return config?.limits.historyBytes ?? builtInConfig.limits.historyBytes
}

/** Agents read and commands change the first team folder only; an older one beside it is ignored. */
function ownFiles({ store, reading }: Read): StoreFile[] {
  return reading.files.filter(({ folder }) => folder.name === store.folders[0]?.name)
}

function isDecisionsFile({ path }: StoreFile): boolean {
  return /^[^/]+\/decisions\.md$/.test(path)
}

function bytesOf(files: readonly StoreFile[]): number {
  return files.reduce((sum, { content }) => sum + content.bytes, 0)
}

/** Look for forbidden content in committed files. Messages name places and rules, never a value. */
const contentChecks: FileCheck[] = [
  { name: "secrets", examine: examineSecrets },
  { name: "personal data", examine: examinePersonalData },
  { name: "forbidden content", examine: examineOther },
]

function examineSecrets(examined: Read): CheckResult {
  const places = placesOfChecks(examined, "secret")
  if (places.length === 0) return pass("No secrets found.")
  return fail(
    `${quantity(places.length, "secret")}: ${nameSome(places)}. Revoke them, because git's history keeps them. Preview their removal with "drey scrub --dry-run".`,
  )
}

function examinePersonalData(examined: Read): CheckResult {
  const places = placesOfChecks(examined, "personal data")
  if (places.length === 0) return pass("No personal data found.")
  const found = quantity(places.length, "piece of personal data", "pieces of personal data")
  return warn(`${found}: ${nameSome(places)}. Preview their removal with "drey scrub --dry-run".`)
}

function examineOther(examined: Read): CheckResult {
  const places = placesOfChecks(examined, "other")
  if (places.length === 0) return pass("No other forbidden content found.")
  const found = quantity(places.length, "passage")
  return warn(`${found} not suitable for shared memory: ${nameSome(places)}. Shorten each to what the team needs.`)
}

function placesOfChecks({ sensitive }: Read, kind: Sensitive["kind"]): string[] {
  return sensitive.filter((each) => each.kind === kind).map(({ path, line, rule }) => `${path}:${line} (${rule})`)
}
