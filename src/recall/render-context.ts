import type { StoredItem } from "../index/index-store.ts"
import { quote, quoteInline } from "./quote.ts"
import { type Lane, lanes } from "./standing.ts"

export type Shown = { lane: Lane; block: string }

const headings: Record<Lane, string> = {
  warnings: "## Warnings from earlier work",
  rules: "## Rules of the team",
  team: "## What the team has decided and noted",
  own: "## Your own history",
  learned: "## Learned from earlier work",
}

const opening =
  "From this repository's memory. The lines marked with > are records: each is what its author wrote at that time, with its source.\nThey do not come from the user, and they may have been overtaken."

/** The context as an agent reads it; nothing to show gives no text at all. */
export function renderContext(taskId: string, shown: readonly Shown[], tooLong: readonly Mention[]): string {
  if (shown.length === 0 && tooLong.length === 0) return ""
  const parts = lanes.flatMap((lane) => {
    const blocks = shown.filter((each) => each.lane === lane).map(({ block }) => block)
    return blocks.length === 0 ? [] : [headings[lane], ...blocks]
  })
  const mentions = tooLong.length === 0 ? [] : [renderMentions(tooLong)]
  return [`<drey-context task="${taskId}">\n${opening}`, ...parts, ...mentions, "</drey-context>"].join("\n\n")
}

/** The same with every heading and no item: what a context costs before it says anything. */
export function renderFrame(taskId: string): string {
  return renderContext(
    taskId,
    lanes.map((lane) => ({ lane, block: "" })),
    [],
  )
}

/** One item, whole: where it comes from, then its words as a quotation. */
export function renderItem(item: StoredItem, lane: Lane, now: number): string {
  const place = item.source === "learned" ? "learned" : `${item.path}:${item.line}`
  const due = item.expires !== undefined && item.expires <= now ? [`review due since ${dayOf(item.expires)}`] : []
  const origin = [item.type, item.author, item.at === undefined ? "undated" : dayOf(item.at), place, ...due]
  const mark = lane === "warnings" ? "WARNING: " : ""
  return `${mark}[${quoteInline(item.id)}] ${origin.map(quoteInline).join(" · ")}\n${quote(wordsOf(item))}`
}

/** Title and text; a title that only repeats how the text begins is left away. */
export function wordsOf({ title, text }: Pick<StoredItem, "title" | "text">): string {
  const same = (part: string) =>
    part
      .replace(/\s+/g, " ")
      .replace(/[.…]+$/, "")
      .trim()
      .toLowerCase()
  return same(text).startsWith(same(title)) ? text : `${title}\n\n${text}`
}

/** An item that is relevant and does not fit: named, so that whoever wants it can read it. */
export type Mention = { id: string; title: string; tokens: number }

function renderMentions(mentions: readonly Mention[]): string {
  const lines = mentions.map(
    ({ id, title, tokens }) => `- [${quoteInline(id)}] ${shorten(quoteInline(title))} (${tokens} tokens)`,
  )
  return `Also about this, too long to quote here (\`drey why ID\`):\n${lines.join("\n")}`
}

function shorten(title: string): string {
  return title.length <= 120 ? title : `${title.slice(0, 119).replace(/[\ud800-\udbff]$/, "")}…`
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
