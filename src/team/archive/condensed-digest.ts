import { z } from "zod"
import { toOneLine } from "../../formats/text.ts"
import { hasNegation } from "../../formats/text-difference.ts"
import { clearText } from "../../governance/cleared.ts"

/** An archived entry that a digest names by a few words or its id only. */
export type OlderEntry = { id: string; day: string; title: string; summary: string }

/** What a model makes of older entries: a sentence for each matter, with the entries that it rests on. */
export type CondensedSentence = { topic: string; text: string; ids: string[] }

/** The shape of a model's answer. */
const answerShape = z.object({
  topics: z
    .array(
      z.object({
        topic: z.string().trim().min(1).max(40),
        sentences: z.array(z.object({ text: z.string().trim().min(1).max(300), ids: z.array(z.string()) })).min(1),
      }),
    )
    .min(1),
})

/**
 * The sentences of a model's answer, each checked against the entries it names. One that names none, or one that is not
 * there, or that says what they do not, refuses the whole answer.
 */
export function checkCondensed(
  answer: unknown,
  older: readonly OlderEntry[],
): { kind: "sound"; sentences: CondensedSentence[] } | { kind: "refused"; reason: string } {
  const parsed = answerShape.safeParse(answer)
  if (!parsed.success) return { kind: "refused", reason: "its answer has another form" }
  const known = new Map(older.map((entry) => [entry.id, entry]))
  const sentences: CondensedSentence[] = []
  for (const { topic, sentences: own } of parsed.data.topics)
    for (const { text, ids } of own) {
      const named = [...new Set(ids)]
      const problem = whyRefused({ topic, text, ids: named }, known)
      if (problem !== undefined) return { kind: "refused", reason: problem }
      sentences.push({ topic: toOneLine(topic), text: toOneLine(text), ids: named })
    }
  return { kind: "sound", sentences }
}

function whyRefused(
  { topic, text, ids }: CondensedSentence,
  known: ReadonlyMap<string, OlderEntry>,
): string | undefined {
  if (ids.length === 0) return "a sentence names no entry"
  const named = ids.map((id) => known.get(id))
  if (named.includes(undefined)) return "a sentence names an entry that is not there"
  if (/[[\]<>]|^[#>|*-]/.test(text + topic)) return "a sentence contains Markdown"
  if (clearText(`${topic}: ${text}`).kind === "refused") return "a sentence contains forbidden content"
  const said = named
    .map((entry) => `${entry?.title} ${entry?.summary}`)
    .join(" ")
    .toLowerCase()
  const exact = text.match(exactNames) ?? []
  if (exact.some((name) => !said.includes(name.toLowerCase()))) return "a sentence states what its entries do not"
  const words = (text.toLowerCase().match(/\p{L}{4,}/gu) ?? []).map((word) => word.slice(0, stem))
  const shared = words.filter((word) => said.includes(word)).length
  if (shared * 2 < words.length) return "a sentence states what its entries do not"
  const denying = named.filter((entry) => hasNegation(`${entry?.title} ${entry?.summary}`)).length
  const isOpposite = hasNegation(text) ? denying === 0 : denying === named.length
  return isOpposite ? "a sentence states the opposite of its entries" : undefined
}

/** Numbers, names of code and of files: a model may not bring its own. */
const exactNames = /\d+(?:[.,]\d+)*|[\w/-]+\.[a-z]\w{0,4}\b|\b[a-z]+[A-Z]\w+|\b\w+_\w+/g
/** Words are compared by their beginnings: merged, merges. */
const stem = 5
