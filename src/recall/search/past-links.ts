import type { IndexReader, StoredItem } from "../../index/index-store.ts"
import { type CommitPayload, type ConversationPayload, readPayload } from "../payload.ts"

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
