import { type HistoryCommit, isByProgram, withoutTrailers } from "../../disk/git-log.ts"
import { clip, toOneLine } from "../../formats/text.ts"
import { scrubText } from "../../governance/redaction.ts"
import type { Item } from "../../index/index-store.ts"
import type { SummarizedConversation } from "../../memories/conversations.ts"
import type { EpisodeSummary } from "../../memories/episode.ts"
import { writePayload } from "../payload.ts"

const plain = {
  class: "LOCAL",
  load: "ON-DEMAND",
  contributors: [],
  agent: undefined,
  scope: "project",
  pathPrefix: undefined,
  expires: undefined,
  governed: false,
  supersedes: [],
  supersededBy: [],
} as const satisfies Partial<Item>

const longestTitle = 140

/** An episode as an index item: named by what the user asked, found by all that was said and done. */
export function itemOfConversation(conversation: SummarizedConversation): Item {
  const { id, client, session, transcript, start, end, outcome, summary } = conversation
  const { said, tried, edited, read, commits } = summary
  const named = said.filter(({ text }) => hasOwnWords(text))
  const asked = named.find(({ by }) => by === "user") ?? named[0]
  const title = toOneLine(asked?.text ?? tried[0]?.command ?? edited[0] ?? "(nothing was said)")
  const text = textOf({ ...summary, said: title.length <= longestTitle ? said.filter((each) => each !== asked) : said })
  return {
    ...plain,
    contributors: [],
    supersedes: [],
    supersededBy: [],
    id,
    source: "conversation",
    type: "conversation",
    title: clip(title, longestTitle),
    text,
    tags: [],
    author: client,
    path: transcript,
    line: asked?.line ?? tried[0]?.line ?? 1,
    at: momentOf(end) ?? momentOf(start),
    places: { files: [...edited, ...read], session, client },
    payload: writePayload(
      { kind: "conversation", client, session, start, end, outcome, said, tried, edited, read, commits },
      text,
    ),
  }
}

/** Of some messages only the marks for what was pasted are left. */
function hasOwnWords(text: string): boolean {
  return text.replaceAll("[…]", "").trim() !== ""
}

function textOf({ said, tried, edited, commits }: EpisodeSummary): string {
  return [
    ...said.map(({ text }) => text),
    ...tried.map(({ command, error }) => (error === undefined ? command : `${command}: ${error}`)),
    ...commits.map(({ subject }) => subject ?? ""),
    edited.join("\n"),
  ]
    .filter(Boolean)
    .join("\n\n")
}

function momentOf(ts: string): number | undefined {
  const at = Date.parse(ts)
  return Number.isNaN(at) ? undefined : at
}

/** How much of a commit id names it: enough in any repository, and git understands it. */
export const shortId = 12
const longestMessage = 4000
const mostNamed = 20

/** A commit as an index item: its subject, its message without trailers, and the files it changed. */
export function itemOfCommit({ message, ...commit }: HistoryCommit): Item {
  const [subject = "", ...body] = scrubText(withoutTrailers(message.slice(0, longestMessage))).split("\n")
  const text = [body.join("\n").trim(), commit.files.slice(0, mostNamed).join("\n")].filter(Boolean).join("\n\n")
  return {
    ...plain,
    contributors: [],
    supersedes: [],
    supersededBy: [],
    id: commit.id.slice(0, shortId),
    source: "commit",
    type: commit.parents > 1 ? "merge" : "commit",
    title: subject.trim() || "(no message)",
    text,
    tags: isByProgram(commit.author, subject) ? ["bot"] : [],
    author: scrubText(commit.author),
    path: "",
    line: 0,
    at: commit.at,
    places: { files: commit.files },
    payload: writePayload({ kind: "commit", ...commit, author: scrubText(commit.author) }, text),
  }
}
