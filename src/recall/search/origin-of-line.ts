import { blameLine, readCommits } from "../../disk/git-log.ts"
import type { StoredItem } from "../../index/index-store.ts"
import type { RecallParts } from "../recall-parts.ts"
import { itemOfCommit, shortId } from "../sync/past-items.ts"
import { conversationsOf } from "./past-links.ts"
import { findRanked } from "./ranking.ts"

/** Why a line, or a file, is as it is: the commits, the conversations that led to them, and what was decided. */
export type LineOrigin = {
  file: string
  line: number | undefined
  /** Newest first; the one of the line, or the last ones of the file. Empty where the line is not committed. */
  commits: { commit: Pick<StoredItem, "id" | "title" | "text" | "author" | "at">; conversations: StoredItem[] }[]
  /** Entries and memories that name the file, or that match the commits. */
  decided: StoredItem[]
}

const mostCommits = 5
const mostDecided = 5

/** Answers from blame, the index of conversations and commits, and memory. */
export async function traceLine(
  parts: RecallParts,
  root: string,
  { file, line }: { file: string; line: number | undefined },
): Promise<LineOrigin> {
  const { past } = parts
  const now = parts.now().getTime()
  const ofFile = { files: [file], agent: "*" }
  const made =
    line === undefined
      ? ((await past?.select({ ...ofFile, sources: ["commit"] }, { now, limit: mostCommits })) ?? [])
      : await commitOfLine(parts, root, file, line)
  const commits: LineOrigin["commits"] = []
  for (const commit of made)
    commits.push({
      commit,
      conversations: past && "row" in commit ? await conversationsOf(past, commit as StoredItem) : [],
    })
  const naming = await parts.index.select({ ...ofFile, not: { sources: ["session"] } }, { now, limit: mostDecided })
  const [newest] = made
  const about = newest ? `${newest.title}\n${newest.text}` : ""
  const ranked = about === "" ? [] : await findRanked(parts, about, { agent: "*", not: { sources: ["session"] } })
  const related = await parts.index.rows(
    ranked
      .filter(({ qualifies, relevance }) => qualifies && relevance >= surelyRelated)
      .map(({ candidate }) => candidate.row),
  )
  const decided = [...new Map([...naming, ...related].map((item) => [item.row, item])).values()]
  return { file, line, commits, decided: decided.slice(0, mostDecided) }
}

/** A commit's message finds something by meaning nearly always; only a clear match says why. */
const surelyRelated = 0.6

async function commitOfLine({ past }: RecallParts, root: string, file: string, line: number) {
  const id = await blameLine(root, file, line)
  if (id === undefined) return []
  const indexed = (await past?.items([id.slice(0, shortId)])) ?? []
  return indexed.length > 0 ? indexed : (await readCommits(root, [id])).map(itemOfCommit)
}
