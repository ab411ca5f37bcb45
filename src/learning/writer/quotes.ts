import type { EpisodeEvent } from "../../memories/episode.ts"
import { isSaid } from "./sentences.ts"

/** An event that contains a quote. */
export type QuotedEvent = { event: EpisodeEvent; index: number }

/**
 * The event that contains a quote word for word: what the user said before what a tool printed, and that before what an
 * assistant wrote; of several, the cited one. Case, white space, kinds of quotation marks and omissions ("…") do not
 * matter.
 */
export function findQuote(
  quote: string,
  cited: number | undefined,
  events: readonly EpisodeEvent[],
): QuotedEvent | undefined {
  const parts = plain(quote)
    .split(/\s*(?:\[?(?:…|\.{3})\]?)\s*/)
    .map((part) => part.replace(edges, ""))
    .filter((part) => part !== "")
  if (parts.length === 0) return undefined
  return events
    .map((event, index) => ({ event, index }))
    .filter(({ event }) => textsOf(event).some((text) => hasInOrder(plain(text), parts)))
    .sort(
      (one, other) =>
        rankOf(one.event) - rankOf(other.event) || Number(other.index === cited) - Number(one.index === cited),
    )
    .at(0)
}

/** What the prompt shows of an event. */
export function textsOf({ words, summary, raw_snippet = "", command = "", file = "" }: EpisodeEvent): string[] {
  return [words ?? summary, raw_snippet, command, file]
}

/** Punctuation around a quote is the writer's, or the end of the sentence that it is from. */
const edges = /^[\s"'`*_.,;:!?()[\]-]+|[\s"'`*_.,;:!?()[\]-]+$/g

function plain(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[‘’ʼ´]/g, "'")
    .replace(/[“”„«»]/g, '"')
    .replace(/(?:\\n|\s)+/g, " ")
}

function hasInOrder(text: string, parts: readonly string[]): boolean {
  let at = 0
  return parts.every((part) => {
    const found = text.indexOf(part, at)
    at = found + part.length
    return found >= 0
  })
}

function rankOf(event: EpisodeEvent): number {
  return isSaid(event) ? 0 : event.role === "tool" ? 1 : 2
}
