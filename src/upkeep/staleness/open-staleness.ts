import { askGit } from "./ask-git.ts"
import { judgeItems } from "./judge-items.ts"
import { type ItemWords, lookAtNotes, writeNotes } from "./notes.ts"
import { type StalenessReport, summarizeNames } from "./summarize-names.ts"
import type { JudgedName } from "./verdict.ts"

/** A remembered item; `at` is when it was written, in milliseconds. */
export type RememberedItem = ItemWords & { at: number | undefined }

/** Whether the names in items still exist in the repository. Read-only: only the user can fix an item. */
export type Staleness = {
  /** Checks everything that may be handed out, and writes the notes for contexts. */
  judge(): Promise<StalenessReport>
  /** What one item names, with the current state of each name. */
  namesIn(item: Omit<RememberedItem, "id">): Promise<JudgedName[]>
  /** Checks everything if anything may have changed since the last time; returns whether it did. */
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
    const last = lookAtNotes(place.notes)
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
