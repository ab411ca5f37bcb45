import { blameLine, readCommits } from "../../disk/git-log.ts"
import type { IndexReader, StoredItem } from "../../index/index-store.ts"
import { type CommitPayload, type ConversationPayload, readPayload } from "../payload.ts"
import type { RecallParts } from "../recall-parts.ts"
import { itemOfCommit, shortId } from "../sync/past-items.ts"
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

/** A commit is often made a little after the last words about it. */
const afterwardsMs = 10 * 60_000
/** An episode that began this long before it closed is still found from one of its commits. */
const longestEpisodeMs = 3 * 24 * 60 * 60_000

/** The commits made in a conversation, oldest first. */
export async function commitsOf(past: IndexReader, conversation: StoredItem): Promise<StoredItem[]> {
  const said = conversationOf(conversation)
  if (!said) return []
  const filter = {
    sources: ["commit" as const],
    after: Date.parse(said.start),
    before: Date.parse(said.end) + afterwardsMs,
  }
  const near = await past.select(filter, { now: Date.now(), limit: mostNear })
  return near.filter((commit) => isMadeIn(commit, said)).reverse()
}

/** The conversations in which a commit was made: usually one. */
export async function conversationsOf(past: IndexReader, commit: StoredItem): Promise<StoredItem[]> {
  const at = commit.at ?? 0
  const filter = { sources: ["conversation" as const], after: at - afterwardsMs, before: at + longestEpisodeMs }
  const near = await past.select(filter, { now: Date.now(), limit: mostNear })
  const made = near.filter((each) => {
    const said = conversationOf(each)
    return said !== undefined && Date.parse(said.start) <= at && isMadeIn(commit, said)
  })
  const sure = made.filter((each) => isNamed(commit, conversationOf(each)))
  return sure.length > 0 ? sure : made
}

const mostNear = 500

/** Where its own commits are known, one of them; otherwise one that changes a file that was edited just before. */
function isMadeIn(commit: StoredItem, said: ConversationPayload): boolean {
  if (said.commits.length > 0) return isNamed(commit, said)
  return commitOf(commit)?.files.some((file) => said.edited.includes(file)) === true
}

/** git printed its id there, or its subject was typed there: a rebased commit has another id. */
function isNamed(commit: StoredItem, said: ConversationPayload | undefined): boolean {
  const isIt = ({ id, subject }: ConversationPayload["commits"][number]) =>
    (id !== undefined && commit.id.startsWith(id.slice(0, commit.id.length))) || subject === commit.title
  return said?.commits.some(isIt) === true
}

export function conversationOf(item: StoredItem): ConversationPayload | undefined {
  const payload = readPayload(item)
  return payload.kind === "conversation" ? payload : undefined
}

export function commitOf(item: StoredItem): CommitPayload | undefined {
  const payload = readPayload(item)
  return payload.kind === "commit" ? payload : undefined
}
