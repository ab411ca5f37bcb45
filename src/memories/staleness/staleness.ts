import { DreyError } from "../../errors.ts"
import type { Check } from "../../formats/check.ts"
import { nameSome, quantity } from "../../formats/text.ts"

import { askGit } from "./git-history.ts"
import { judgeItems } from "./item-verdicts.ts"
import { type JudgedItem, type JudgedName, type State, states } from "./name-verdict.ts"
import { type NotedItem, notesHead, writeNotes } from "./staleness-notes.ts"

/** A remembered item; `at` is when it was written, in milliseconds. */
export type RememberedItem = NotedItem & { at: number | undefined }

/** Whether the names in items still exist in the repository. Read-only: only the user can fix an item. */
export type Staleness = {
  /**
   * Checks everything that may be handed out, and writes the notes for contexts.
   * @example const report = await drey.memories.staleness.judge()
   */
  judge(): Promise<StalenessReport>
  /**
   * What one item names, with the current state of each name.
   * @example const names = await drey.memories.staleness.namesIn(item)
   */
  namesIn(item: Omit<RememberedItem, "id">): Promise<JudgedName[]>
  /**
   * Checks everything if anything may have changed since the last time; returns whether it did.
   * @example const wasChecked = await drey.memories.staleness.refresh()
   */
  refresh(): Promise<boolean>
}

export type StalenessOptions = {
  root: string
  /** Drey's own files: the notes for contexts, and git's log of deletions. Both can be rebuilt. */
  place: { notes: string; deletions: string }
  now: () => Date
  /** What may be handed out, with a version that changes whenever it does. */
  items(): Promise<{ version: string; items: RememberedItem[] }>
}

/** Nothing is checked twice within this time; after `longestMs`, uncommitted changes are assumed. */
const shortestMs = 10 * 60_000
const longestMs = 6 * 3_600_000

export function openStaleness({ root, place, now, items }: StalenessOptions): Staleness {
  const judgeAll = async (): Promise<StalenessReport> => {
    const { version, items: all } = await items()
    const stamp = `${await headOf(root)} ${version}`
    const texts = all.map((item) => ({ id: item.id, at: item.at, text: `${item.title}\n\n${item.text}` }))
    const judged = await judgeItems(root, texts, place.deletions)
    writeNotes(place.notes, { stamp, at: now().getTime() }, all, judged)
    return summarizeNames(judged)
  }
  const refresh = async (): Promise<boolean> => {
    const last = notesHead(place.notes)
    const age = last ? now().getTime() - last.at : Number.POSITIVE_INFINITY
    if (last && age < shortestMs) return false
    const isSame = last?.stamp === `${await headOf(root)} ${(await items()).version}`
    if (isSame && age < longestMs) return false
    await judgeAll()
    return true
  }
  return {
    judge: judgeAll,
    async namesIn({ title, text, at }) {
      const [item] = await judgeItems(root, [{ id: "", at, text: `${title}\n\n${text}` }], place.deletions)
      return item?.names ?? []
    },
    refresh,
  }
}

async function headOf(root: string): Promise<string> {
  return (await askGit(root, ["rev-parse", "-q", "--verify", "HEAD"]))?.toString("latin1").trim() ?? "no commit"
}

const shown = 3

/** Checks the files, commands and symbols that items name. */
export async function checkNames(open: () => Promise<Pick<Staleness, "judge">>): Promise<Check> {
  try {
    return tell(await (await open()).judge())
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { name, status: "warn", message: [error.message, error.hint].filter(Boolean).join(" ") }
  }
}

const name = "named files"

function tell(report: StalenessReport): Check {
  const { items, counts, stale } = report
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  if (all === 0) return { name, status: "pass", message: "No item names a file, command or symbol of the repository." }
  const found = `${quantity(all, "name")} in ${quantity(items, "item")}: ${counts.valid} valid, ${counts.moved} moved, ${counts.gone} gone, ${counts.changed} in heavily changed files, ${counts.unverifiable} unverifiable.`
  const lost = stale.filter(({ verdict }) => verdict.state !== "changed")
  if (lost.length === 0) return { name, status: "pass", message: found, details: report }
  const worst = lost.map(({ words, id }) => `${words} (${id})`)
  const message = `${found} ${nameSome(worst, shown)}. Agents see a note; "drey why ${lost[0]?.id}" lists an item's names.`
  return { name, status: "warn", message, details: report }
}

/** The number of names in each state, and those the user should know about, worst first. */
export type StalenessReport = {
  /** Items that name anything. */
  items: number
  counts: Record<State, number>
  stale: (JudgedName & { id: string })[]
}

function summarizeNames(judged: readonly JudgedItem[]): StalenessReport {
  const all = judged.flatMap(({ id, names }) => names.map((name) => ({ id, ...name })))
  const counts = { gone: 0, moved: 0, changed: 0, valid: 0, unverifiable: 0 }
  for (const { verdict } of all) counts[verdict.state]++
  const rank = ({ verdict }: JudgedName) => states.indexOf(verdict.state)
  const stale = all.filter((name) => rank(name) < states.indexOf("valid")).sort((one, other) => rank(one) - rank(other))
  return { items: judged.filter(({ names }) => names.length > 0).length, counts, stale }
}
