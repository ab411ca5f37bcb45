import { cosineSimilarity } from "../../index/embedders/embedder.ts"
import type { StoredItem } from "../../index/index-store.ts"
import { stem } from "../../index/stemmer.ts"
import { tokenize } from "../../index/tokenizer.ts"
import type { RecallParts } from "../recall-parts.ts"
import { summaryOf } from "./context-text.ts"

/**
 * A logistic model of whether a newer entry replaces an older one without a link. Fitted on 48 replaced entries among
 * 15,471 pairs from eight decision logs. With each log left out in turn, this threshold finds 79 % of the replaced
 * entries with a precision of 97 %.
 */
const weights = {
  base: -6.78,
  /** Tags in common: their share, whether the newer one has all of the older one's, and how rare they are. */
  tags: 2.7,
  allTags: 2.22,
  rareTags: 2.32,
  /** Rare words in common: of the titles, and of titles with summaries. */
  titles: 1.3,
  summaries: 2.39,
  /** Both titles begin with the same word, usually their subject. */
  subject: 1.72,
  /** A rule is rarely replaced by something that is not a rule. */
  weaker: -1.92,
  /** The fraction of the older entry's rare words that the newer one contains. */
  held: 5.72,
  /** Similarity of meaning of titles with summaries. */
  meaning: 5.08,
  /** The newer entry mentions a change. */
  change: 1.3,
}
const threshold = 2.6

/** In a short log every tag is rare. */
const fewTags = 3

/** Entries of one day belong together: a later part of a plan does not replace an earlier one. */
const leastApart = 24 * 60 * 60 * 1000

const change =
  /\b(?:no longer|not .{0,40}any ?more|any more|used to|until now|so far|previously|instead of|(?:was|were) removed|(?:is|are) gone|moved to|replace[ds]?|now|since v?\d|old|formerly|switched)\b/i

/** Maps each entry that was probably replaced without a link to the id of its replacement. */
export function findReplaced(items: readonly StoredItem[], embed: RecallParts["embedNow"]): Map<string, string> {
  const entries = items
    .filter(
      (item) =>
        (item.source === "decisions" || item.source === "archive") &&
        item.supersededBy.length === 0 &&
        item.at !== undefined,
    )
    .slice(0, mostCompared)
    .map((item) => readEntry(item, embed))
  const words = counted(entries.map(({ summary }) => summary))
  const tags = counted(entries.map(({ item }) => new Set(item.tags)))
  const rarities = new Map([...words].map(([word, count]) => [word, rarityOf(count, entries.length)]))
  const rarity = (word: string) => rarities.get(word) ?? rarityOf(0, entries.length)
  for (const entry of entries) entry.weigh(rarity)
  const titles = counted(entries.map(({ title }) => title))
  const isTopic = (word: string) => (titles.get(word) ?? 0) >= fewestOfTopic && !unimportant.has(word)
  const replaced = new Map<string, string>()
  const best = new Map<string, number>()
  for (const newer of entries)
    for (const older of entries) {
      const { id, at = 0 } = older.item
      if ((newer.item.at ?? 0) - at < leastApart) continue
      const sureness = compare(newer, older, rarity, (tag) => tags.get(tag) ?? 1)
      if (sureness >= threshold && areAboutOthers(newer, older, isTopic)) continue
      if (sureness < threshold || sureness <= (best.get(id) ?? Number.NEGATIVE_INFINITY)) continue
      best.set(id, sureness)
      replaced.set(id, newer.item.id)
    }
  return replaced
}

/** Every context waits for this, so only the first items are compared. */
const mostCompared = 300

function rarityOf(documents: number, all: number): number {
  return Math.log(1 + (all - documents + 0.5) / (documents + 0.5))
}

/** Expensive values are computed lazily: most entries have nothing in common with any other. */
type ComparedEntry = {
  item: StoredItem
  title: Words
  summary: Words
  subject: string | undefined
  all(): Set<string>
  isChange(): boolean
  vector(): Float32Array | undefined
  /** Computes the norms once the rarity of all words is known. */
  weigh(rarity: (word: string) => number): void
}

type Words = Set<string> & { norm?: number }

function readEntry(item: StoredItem, embed: RecallParts["embedNow"]): ComparedEntry {
  const text = item.text.slice(0, mostText)
  const sentence = summaryOf(item)
  const title = tokenize(item.title)
  const titleWords: Words = new Set(title)
  const summary: Words = new Set([...title, ...tokenize(sentence)])
  return {
    item,
    title: titleWords,
    summary,
    subject: title[0],
    all: once(() => new Set([...summary, ...tokenize(text)])),
    isChange: once(() => change.test(`${item.title} ${sentence} ${text}`)),
    vector: once(() => embed?.(`${item.title}. ${sentence}`)),
    weigh(rarity) {
      for (const set of [titleWords, summary]) set.norm = Math.sqrt(squareOf(set, rarity))
    },
  }
}

const mostText = 1500

function compare(
  newer: ComparedEntry,
  older: ComparedEntry,
  rarity: (word: string) => number,
  tagged: (tag: string) => number,
): number {
  const shared = older.item.tags.filter((tag) => newer.item.tags.includes(tag))
  const either = older.item.tags.length + newer.item.tags.length - shared.length
  const hasAll = shared.length > 0 && shared.length === older.item.tags.length
  const isWeaker = older.item.type === "directive" && newer.item.type !== "directive"
  const atSight =
    weights.base +
    weights.tags * (either === 0 ? 0 : shared.length / either) +
    weights.allTags * Number(hasAll) +
    weights.rareTags * shared.reduce((sum, tag) => sum + 1 / (fewTags + tagged(tag)), 0) +
    weights.titles * overlap(newer.title, older.title, rarity) +
    weights.summaries * overlap(newer.summary, older.summary, rarity) +
    weights.subject * Number(newer.subject !== undefined && newer.subject === older.subject) +
    weights.weaker * Number(isWeaker)
  if (atSight + weights.held + weights.meaning + weights.change < threshold) return Number.NEGATIVE_INFINITY
  if ((!sharesMoreThanSubject(newer, older) || areParallel(newer.item.title, older.item.title)) && !newer.isChange())
    return Number.NEGATIVE_INFINITY
  const held = weights.held * shareHeld(older.summary, newer.all(), rarity)
  if (atSight + held + weights.meaning + weights.change < threshold) return Number.NEGATIVE_INFINITY
  const [ours, theirs] = [newer.vector(), older.vector()]
  const meaning = ours && theirs ? cosineSimilarity(ours, theirs) : 0
  return atSight + held + weights.meaning * meaning + weights.change * Number(newer.isChange())
}

/** Two decisions on one subject usually cover different aspects of it. */
function sharesMoreThanSubject(newer: ComparedEntry, older: ComparedEntry): boolean {
  for (const word of older.summary) if (word !== newer.subject && newer.summary.has(word)) return true
  return false
}

/**
 * Two titles of one pattern are decisions about two things: "The admin app uses Vue", "The customer app uses React". A changed decision
 * differs in one place only. Of two things that one must always or never do, both hold, whatever the number of places; so do two named
 * things of which a product can have several: "Mobile supports iOS 16", "Mobile supports Android 10".
 */
function areParallel(one: string, other: string): boolean {
  const { shared, replaced } = align(patternOf(one), patternOf(other))
  const [gap] = replaced
  if (shared < 2 || gap === undefined) return false
  if (replaced.length > 1) return true
  if (gap.flat().every(isNumber)) return false
  const titles = [one, other]
  if (titles.every((title) => isAddedTo.test(title)) || gap.every(isVersion)) return true
  const names = titles.map(namesIn)
  return (
    !titles.some((title) => isOneAtATime.test(title)) &&
    gap.every((words, at) => words.some((word) => names[at]?.has(word)))
  )
}

/** What is said of one thing can be said of another beside it. */
const isAddedTo =
  /^\W*(?:always(?! use)|never|do not|don't)\b|^(?!.*\b(?:only|just)\b).+\b(?:can|may|supports?|accepts?|(?:[a-z]+ed|sent|built) (?:to|for))\b/i

/** "Package manager is npm", "Tests use Cypress", "Search runs on Solr": of these there is one at a time. */
const isOneAtATime = /\b(?:is|are|be|uses?|has|have|runs?|lives?|comes?|goes|only|just)\b/i

/** Words within a title that are written as names are. */
function namesIn(title: string): Set<string> {
  return new Set(patternOf((title.match(/(?<=\s)\S*\p{Lu}\S*/gu) ?? []).join(" ")))
}

/** "Android 10": what it is a version of, and the number. */
function isVersion(words: readonly string[]): boolean {
  const [name = "", number = "", ...more] = words
  return more.length === 0 && !isNumber(name) && isNumber(number)
}

function isNumber(word: string): boolean {
  return /^v?\d/.test(word) || numbers.has(word)
}

const numbers = new Set(
  "two three four five six seven eight nine ten twelve twenty thirty sixty hundred thousand".split(" ").map(stem),
)

/** The words of a title, without those that only say how sure or how many. */
function patternOf(title: string): string[] {
  const words = title.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_./-]*/gu) ?? []
  return words.filter((word) => !unimportant.has(word)).map((word) => stem(word.replace(/[./]+$/, "")))
}

const unimportant = new Set("a an the is are be does do not may can must should will".split(" "))

/** How many words two titles have in common, in order, and which words replace which between them. */
function align(one: readonly string[], other: readonly string[]): { shared: number; replaced: [string[], string[]][] } {
  // The length of the longest common sequence of what follows each pair of positions.
  const rest = Array.from({ length: one.length + 1 }, () => new Array<number>(other.length + 1).fill(0))
  const at = (left: number, right: number) => rest[left]?.[right] ?? 0
  for (let left = one.length - 1; left >= 0; left--)
    for (let right = other.length - 1; right >= 0; right--)
      (rest[left] as number[])[right] =
        one[left] === other[right] ? at(left + 1, right + 1) + 1 : Math.max(at(left + 1, right), at(left, right + 1))
  const replaced: [string[], string[]][] = []
  let [left, right, shared] = [0, 0, 0]
  while (left < one.length || right < other.length) {
    const gap: [string[], string[]] = [[], []]
    while ((left < one.length || right < other.length) && (left >= one.length || one[left] !== other[right])) {
      if (right >= other.length || (left < one.length && at(left + 1, right) >= at(left, right + 1)))
        gap[0].push(one[left++] as string)
      else gap[1].push(other[right++] as string)
    }
    if (gap[0].length > 0 && gap[1].length > 0) replaced.push(gap)
    if (left >= one.length && right >= other.length) break
    left++
    right++
    shared++
  }
  return { shared, replaced }
}

/** A word in so many titles is a part of the product, or a topic that the team returns to. */
const fewestOfTopic = 3

/** Each is about a part that the other does not mention: "Log format of the mobile app", "Log format of the public API". */
function areAboutOthers(one: ComparedEntry, other: ComparedEntry, isTopic: (word: string) => boolean): boolean {
  const hasOwn = (entry: ComparedEntry, beside: ComparedEntry) =>
    [...entry.title].some((word) => isTopic(word) && !beside.all().has(word))
  return hasOwn(one, other) && hasOwn(other, one)
}

/** Cosine of two sets of words, weighted by their rarity. */
function overlap(one: Words, other: Words, rarity: (word: string) => number): number {
  const [few, many] = one.size < other.size ? [one, other] : [other, one]
  let shared = 0
  for (const word of few) if (many.has(word)) shared += rarity(word) ** 2
  return shared === 0 ? 0 : shared / ((one.norm ?? 1) * (other.norm ?? 1))
}

function squareOf(words: Iterable<string>, rarity: (word: string) => number): number {
  let sum = 0
  for (const word of words) sum += rarity(word) ** 2
  return sum
}

function shareHeld(wanted: ReadonlySet<string>, words: ReadonlySet<string>, rarity: (word: string) => number): number {
  let [held, all] = [0, 0]
  for (const word of wanted) {
    all += rarity(word)
    if (words.has(word)) held += rarity(word)
  }
  return all === 0 ? 0 : held / all
}

function counted(sets: readonly ReadonlySet<string>[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const set of sets) for (const each of set) counts.set(each, (counts.get(each) ?? 0) + 1)
  return counts
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
