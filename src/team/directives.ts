import { sha256 } from "../disk/hash.ts"
import { DreyError, exitCode } from "../errors.ts"
import { type Entry, lengthOf, titleLimit } from "../formats/entry.ts"
import { normalizeEntry, writeEntry } from "../formats/entry-writer.ts"
import { cutAtWord } from "../formats/legacy/summary.ts"
import { collapseWhiteSpace } from "../formats/source-text.ts"
import { timestampFromDate } from "../formats/timestamp.ts"
import { clearText, generated } from "../governance/cleared.ts"
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

export type Capture =
  | { kind: "captured"; id: string; acknowledgement: string }
  | { kind: "known"; id: string; acknowledgement: string }
  | { kind: "proposed"; id: string; path: string; acknowledgement: string }
  | { kind: "no-directive" }
  | { kind: "refused"; where: "text" | "author"; reason: string; line: number } // never contains the text

type Words = {
  text: string
  author: string
  /** The user or role that the author claims to speak for. */
  onBehalfOf?: string | undefined
}

/**
 * Adds a rule that the user stated to the team's decisions. It goes through the inbox like any other proposal and is merged
 * in the same change, so that the rule is active at once and one undo reverts it. With `review` it stays in the inbox, with
 * that reason, until the user accepts it. `isJudged`: the caller knows that it is a rule.
 */
export async function captureDirective(
  store: TeamStore,
  words: Words,
  now: Date,
  { review, isJudged = false }: { review?: string | undefined; isJudged?: boolean } = {},
): Promise<Capture> {
  if (words.author.trim() === "") throw new DreyError("A directive needs an author", { hint: "Pass --author NAME." })
  if (!isJudged && !isDirective(words.text, readRoster(store))) return { kind: "no-directive" }
  const [folder] = store.folders
  if (!folder) throw new Error("A store without a folder has nowhere to keep a directive.")
  const { config } = readMemoryConfig(folder)
  // Check each separately: a name with a line break must not become part of the rule.
  const named = clearText(collapseWhiteSpace(words.author).trim(), config.personalData)
  if (named.kind === "refused") return { kind: "refused", where: "author", reason: named.reason, line: named.line }
  const clearing = clearText(words.text, config.personalData)
  if (clearing.kind === "refused")
    return { kind: "refused", where: "text", reason: clearing.reason, line: clearing.line }
  const claimed = clearText(collapseWhiteSpace(words.onBehalfOf ?? "").trim(), config.personalData)
  if (claimed.kind === "refused")
    return { kind: "refused", where: "author", reason: claimed.reason, line: claimed.line }
  const author = named.text
  const text = clearing.text.trim()
  const summary = cutAtWord(collapseWhiteSpace(text))
  const entry = normalizeEntry({
    type: "directive",
    timestamp: timestampFromDate(now),
    author,
    title: summary,
    ...(lengthOf(text) > titleLimit || text.includes("\n") ? { details: text } : {}),
    ...(review === undefined ? {} : { id: `stated-${sha256(text).slice(0, 16)}`, review }),
    extensions: claimed.text === "" || claimed.text === author ? [] : [{ name: "onBehalfOf", value: claimed.text }],
  })
  if (review !== undefined) return propose(store, folder, entry, now)
  return withStore(folder, () => {
    const path = freePath(folder, now)
    const work = startPlan(store, folder, now)
    work.draft.put(path, generated(writeEntry(entry)))
    const { merged, duplicates, left, quarantined } = mergeInbox(work, { only: [path], acceptReview: true })
    if (left.length > 0 || quarantined.length > 0) {
      const why = left[0]?.why ?? quarantined[0]?.lines[0]?.reason
      throw new DreyError(`The directive was not saved: ${why}`, { exitCode: exitCode.no })
    }
    applyChange(folder, "capture", work.draft.changes(), now, { moves: work.draft.moves() })
    writeAudit(folder, work.audit)
    const [id] = merged
    if (id !== undefined) return { kind: "captured", id, acknowledgement: `📌 Captured. ${summary}` }
    return {
      kind: "known",
      id: duplicates[0]?.of ?? "",
      acknowledgement: `📌 Captured. The team already has it: ${summary}`,
    }
  })
}

/** Adds it to the inbox unless it is already there or was rejected before. */
function propose(store: TeamStore, folder: StoreFolder, entry: Entry, now: Date): Promise<Capture> {
  return withStore(folder, () => {
    const { id = "", title, author } = entry
    const path = `decisions/inbox/${id}.md`
    const work = startPlan(store, folder, now)
    const isKnown = placeProposals([{ id, entry }], settledEntries(work), now)[0]?.kind === "copy"
    const note = {
      title: "Proposed rule",
      actor: auditTitle(author, "unknown"),
      reason: "A rule for a person to accept",
    }
    const [outcome] = isKnown ? [] : proposeFiles(work, [{ id, path, text: writeEntry(entry), words: title, ...note }])
    if (outcome?.kind === "refused") return { kind: "refused", where: "text", reason: outcome.reason, line: 1 }
    if (outcome?.kind !== "proposed")
      return { kind: "known", id, acknowledgement: `The team already has it, as a rule or a proposal: ${title}` }
    applyChange(folder, "propose", work.draft.changes(), now)
    writeAudit(folder, work.audit)
    return {
      kind: "proposed",
      id,
      path: `${folder.name}/${path}`,
      acknowledgement: `Proposed for review: ${title}`,
    }
  })
}

function freePath(folder: StoreFolder, now: Date): string {
  const time = `${now.toISOString().slice(0, 19).replaceAll(":", "-")}Z`
  for (let number = 1; ; number++) {
    const path = `decisions/inbox/copilot-directive-${time}${number === 1 ? "" : `-${number}`}.md`
    if (currentText(folder, path) === null) return path
  }
}
