import { contextId } from "../../formats/ids.ts"
import { quoteInline, truncate } from "../../formats/text.ts"
import { dayOf } from "../../formats/timestamp.ts"
import type { StoredItem } from "../../index/index-store.ts"
import { tokenize } from "../../index/tokenizer.ts"
import { type ConversationPayload, readPayload } from "../payload.ts"
import type { RecallParts } from "../recall-parts.ts"
import { findRanked } from "../search/ranking.ts"
import type { ContextRequest } from "./context-builder.ts"

/** A conversation in which the user asked for nearly the same, as one line. */
export type EarlierWork = { item: StoredItem; line: string }

/**
 * How close two requests of the user must be, without the names of files in them: words in common, their share of both,
 * and the likeness of their meaning, which alone says little in languages that the table of vectors hardly knows.
 */
const least = { words: 4, share: 0.25, likeness: 0.7 }

/** Only a request among the best few conversations can be that close. */
const mostRead = 5

/** The earlier conversation of another session whose request is closest to the task; mostly there is none. */
export async function findEarlierWork(parts: RecallParts, request: ContextRequest): Promise<EarlierWork | undefined> {
  const { past, embedNow } = parts
  const task = request.task ?? ""
  if (!past || !embedNow || parts.untrusted || request.onlyInFolder) return undefined
  const asked = requestOf(task, embedNow)
  if (asked.words.size < least.words) return undefined
  const ranked = await findRanked({ ...parts, index: past, embedDeep: undefined }, task, { sources: ["conversation"] })
  const items = await past.rows(ranked.slice(0, mostRead).map(({ candidate }) => candidate.row))
  const known = new Set([...(request.told ?? []), ...(request.listed ?? [])])
  const close = items.flatMap((item) => {
    const payload = readPayload(item)
    if (payload.kind !== "conversation" || payload.session === request.session || known.has(item.id)) return []
    const said = payload.said.flatMap(({ by, text }) => (by === "user" ? [{ text, ...requestOf(text, embedNow) }] : []))
    return said.filter((each) => isClose(asked, each)).map((each) => ({ item, payload, ...each }))
  })
  const [best] = close.sort((one, other) => likeness(asked, other) - likeness(asked, one))
  return best && { item: best.item, line: renderLine(best.item, best.payload, best.text) }
}

type Request = { words: Set<string>; vector: Float32Array }

function requestOf(text: string, embedNow: (text: string) => Float32Array): Request {
  const plain = text.slice(0, longestRead).replaceAll("[…]", " ").replace(namesOfFiles, " ").replace(/\s+/g, " ").trim()
  return { words: new Set(tokenize(plain)), vector: embedNow(plain) }
}

const longestRead = 2000

/** Two requests about one file are not the same request: `[a.ts](src/a.ts)`, `@README.md`, `src/a.ts`. */
const namesOfFiles = /\[[^\]]*\]\([^)]*\)|[@`]?\S*[\w-][./\\]\w[\w./\\-]*`?/g

function isClose(one: Request, other: Request): boolean {
  const shared = [...one.words].filter((word) => other.words.has(word)).length
  return (
    shared >= least.words &&
    shared >= least.share * Math.sqrt(one.words.size * other.words.size) &&
    likeness(one, other) >= least.likeness
  )
}

function likeness(one: Request, other: Request): number {
  return one.vector.reduce((sum, value, at) => sum + value * (other.vector[at] as number), 0)
}

function renderLine(item: StoredItem, { client, session }: ConversationPayload, words: string): string {
  const when = item.at === undefined ? "" : ` on ${dayOf(item.at)}`
  const place = quoteInline(`worked on in session ${session.slice(0, 8)} (${client})${when}`)
  return `> [${contextId(item.id)}] ${place}: ${truncate(quoteInline(words), longestShown)}`
}

const longestShown = 160
