import { sha256 } from "../disk/hash.ts"
import { DreyError, exitCode } from "../errors.ts"
import { type Entry, lengthOf, titleLimit } from "../formats/entry.ts"
import { normalizeEntry, writeEntry } from "../formats/entry-writer.ts"
import { cutAtWord } from "../formats/legacy/summary.ts"
import { collapseWhiteSpace } from "../formats/source-text.ts"
import { timestampFromDate } from "../formats/timestamp.ts"
import { type Cleared, clearText, generated } from "../governance/cleared.ts"
import { applyChange, currentText, withStore } from "./change.ts"
import { settledEntries, startPlan } from "./change-plan.ts"
import { auditTitle, readMemoryConfig } from "./governed/governed-context.ts"
import { proposeFiles } from "./inbox/file-proposals.ts"
import { mergeInbox } from "./merge/inbox-merge.ts"
import { writeAudit } from "./merge/merged-records.ts"
import { placeProposals } from "./merge/proposals.ts"
import { readRoster } from "./team-files.ts"
import type { StoreFolder, TeamStore } from "./team-folder.ts"
import { isDirective } from "./team-rules.ts"

/** What a user or an agent asks the team to remember. */
export type Statement = {
  type: "directive" | "decision" | "note"
  text: string
  author: string
  /** The user or role that the author claims to speak for. */
  onBehalfOf?: string | undefined
  title?: string | undefined
  why?: string | undefined
  /** Further Markdown below the text, such as the code that it is about. */
  details?: string | undefined
  tags?: readonly string[] | undefined
  scope?: string | undefined
}

/** Where a statement is now. Paths are from the repository root. */
export type RememberOutcome =
  | {
      kind: "saved" | "known" | "proposed"
      id: string
      type: Statement["type"]
      title: string
      path: string
      line: number
    }
  | { kind: "refused"; where: "text" | "author"; reason: string; line: number } // never contains the text

const decisions = "decisions.md"

/**
 * Adds a statement to the team's decisions. It goes through the inbox like any other proposal and is merged in the same change, so that it
 * is active at once and one undo reverts it. With `propose` it stays in the inbox: with a reason until the user accepts it, with `true`
 * until the next merge.
 */
export async function remember(
  store: TeamStore,
  statement: Statement,
  now: Date,
  {
    propose = false,
    squadUi = false,
    command = "remember",
  }: { propose?: string | boolean; squadUi?: boolean; command?: "remember" | "capture" } = {},
): Promise<RememberOutcome> {
  if (statement.author.trim() === "") throw new DreyError("It needs an author", { hint: "Pass --author NAME." })
  const [folder] = store.folders
  if (!folder) throw new Error("A store without a folder has nowhere to keep a statement.")
  const cleared = clearStatement(folder, statement)
  if (cleared.kind === "refused") return cleared
  const entry = entryOf(statement, cleared.texts, propose, now)
  const stated = { type: statement.type, title: entry.title }
  if (propose !== false) return proposeEntry(store, folder, entry, stated, now)
  return withStore(folder, () => {
    const path = freePath(folder, now)
    const work = startPlan(store, folder, now)
    work.draft.put(path, generated(writeEntry(entry)))
    const options = { only: [path], acceptReview: true, squadUi, skipSimilar: true }
    const { merged, duplicates, left, quarantined } = mergeInbox(work, options)
    if (left.length > 0 || quarantined.length > 0) {
      const why = left[0]?.why ?? quarantined[0]?.lines[0]?.reason
      throw new DreyError(`Not saved: ${why}`, { exitCode: exitCode.no })
    }
    applyChange(folder, command, work.draft.changes(), now, { moves: work.draft.moves() })
    writeAudit(folder, work.audit)
    const line = lineOfEntry(work.draft.text(decisions) ?? "", entry.title)
    const place = { ...stated, path: `${folder.name}/${decisions}`, line }
    const [id] = merged
    if (id !== undefined) return { kind: "saved", id, ...place }
    return { kind: "known", id: duplicates[0]?.of ?? "", ...place }
  })
}

type ClearedStatement = Record<"text" | "details" | "author" | "onBehalfOf" | "title" | "why" | "tags", Cleared>

/** Checks each part separately: a name with a line break must not become part of the rule. */
function clearStatement(
  folder: StoreFolder,
  { text, details = "", author, onBehalfOf = "", title = "", why = "", tags = [] }: Statement,
): { kind: "cleared"; texts: ClearedStatement } | Extract<RememberOutcome, { kind: "refused" }> {
  const { personalData } = readMemoryConfig(folder).config
  const oneLine = { author, onBehalfOf, title, tags: tags.join(", ") }
  const given = { text, details, why, ...mapValues(oneLine, (each) => collapseWhiteSpace(each).trim()) }
  const texts: Partial<ClearedStatement> = {}
  for (const [name, each] of Object.entries(given) as [keyof ClearedStatement, string][]) {
    const clearing = clearText(each, personalData)
    if (clearing.kind === "refused") {
      const where = name === "author" || name === "onBehalfOf" ? "author" : "text"
      return { kind: "refused", where, reason: clearing.reason, line: clearing.line }
    }
    texts[name] = clearing.text
  }
  return { kind: "cleared", texts: texts as ClearedStatement } // one for each that was given
}

function mapValues<Name extends string>(values: Record<Name, string>, change: (value: string) => string) {
  const changed = Object.entries<string>(values).map(([name, value]) => [name, change(value)])
  return Object.fromEntries(changed) as Record<Name, string>
}

function entryOf({ type, scope }: Statement, texts: ClearedStatement, propose: string | boolean, now: Date): Entry {
  const text = texts.text.trim()
  const summary = cutAtWord(collapseWhiteSpace(text))
  const title = texts.title === "" ? summary : texts.title
  const isShort = lengthOf(text) <= titleLimit && !text.includes("\n")
  const details = [isShort ? "" : text, texts.details.trim()].filter((part) => part !== "").join("\n\n")
  return normalizeEntry({
    type,
    timestamp: timestampFromDate(now),
    author: texts.author,
    title,
    summary,
    ...(details === "" ? {} : { details }),
    ...(texts.why.trim() === "" ? {} : { rationale: texts.why.trim() }),
    ...(texts.tags === "" ? {} : { tags: texts.tags.split(",").map((tag) => tag.trim()) }),
    ...(scope === undefined ? {} : { scope }),
    ...(propose === false ? {} : { id: `sem-${sha256(text).slice(0, 12)}` }),
    ...(typeof propose === "string" ? { review: propose } : {}),
    extensions:
      texts.onBehalfOf === "" || texts.onBehalfOf === texts.author
        ? []
        : [{ name: "onBehalfOf", value: texts.onBehalfOf }],
  })
}

/** Adds it to the inbox unless it is already there or was rejected before. */
function proposeEntry(
  store: TeamStore,
  folder: StoreFolder,
  entry: Entry,
  stated: { type: Statement["type"]; title: string },
  now: Date,
): Promise<RememberOutcome> {
  return withStore(folder, () => {
    const { id = "", title, author } = entry
    const path = `decisions/inbox/${id}.md`
    const place = { id, ...stated, path: `${folder.name}/${path}`, line: 1 }
    const work = startPlan(store, folder, now)
    const isKnown = placeProposals([{ id, entry }], settledEntries(work), now)[0]?.kind === "copy"
    const note = {
      title: stated.type === "directive" ? "Proposed rule" : `Proposed ${stated.type}`,
      actor: auditTitle(author, "unknown"),
      reason: "Proposed to the team",
    }
    const [outcome] = isKnown ? [] : proposeFiles(work, [{ id, path, text: writeEntry(entry), words: title, ...note }])
    if (outcome?.kind === "refused") return { kind: "refused", where: "text", reason: outcome.reason, line: 1 }
    if (outcome?.kind !== "proposed") return { kind: "known", ...place }
    applyChange(folder, "propose", work.draft.changes(), now)
    writeAudit(folder, work.audit)
    return { kind: "proposed", ...place }
  })
}

/** The line of the last heading that ends with this title, counted from 1. */
function lineOfEntry(text: string, title: string): number {
  const lines = text.split("\n")
  const at = lines.findLastIndex((line) => line.startsWith("#") && line.trimEnd().endsWith(`: ${title}`))
  return Math.max(0, at) + 1
}

function freePath(folder: StoreFolder, now: Date): string {
  const time = `${now.toISOString().slice(0, 19).replaceAll(":", "-")}Z`
  for (let number = 1; ; number++) {
    const path = `decisions/inbox/copilot-directive-${time}${number === 1 ? "" : `-${number}`}.md`
    if (currentText(folder, path) === null) return path
  }
}

/** What became of a sentence that may be a rule. */
export type Capture =
  | { kind: "captured"; id: string; acknowledgement: string }
  | { kind: "known"; id: string; acknowledgement: string }
  | { kind: "proposed"; id: string; path: string; acknowledgement: string }
  | { kind: "no-directive" }
  | Extract<RememberOutcome, { kind: "refused" }>

type Words = { text: string; author: string; onBehalfOf?: string | undefined }

/** Adds a rule that the user stated to the team's decisions; with `review`, to the inbox until the user accepts it. `isJudged`: it is known to be one. */
export async function captureDirective(
  store: TeamStore,
  words: Words,
  now: Date,
  { review, isJudged = false }: { review?: string | undefined; isJudged?: boolean } = {},
): Promise<Capture> {
  if (!isJudged && !isDirective(words.text, readRoster(store))) return { kind: "no-directive" }
  const result = await remember(store, { ...words, type: "directive" }, now, {
    propose: review ?? false,
    command: "capture",
  })
  if (result.kind === "refused") return result
  const { kind, id, title, path } = result
  if (kind === "saved") return { kind: "captured", id, acknowledgement: `📌 Captured. ${title}` }
  if (kind === "proposed") return { kind, id, path, acknowledgement: `Proposed for review: ${title}` }
  const acknowledgement =
    review === undefined
      ? `📌 Captured. The team already has it: ${title}`
      : `The team already has it, as a rule or a proposal: ${title}`
  return { kind, id, acknowledgement }
}
