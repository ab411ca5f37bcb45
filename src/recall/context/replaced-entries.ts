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

/** For an item's id, the id of the newer entry that probably replaced it without a link. */
export type Replacements = { get(id: string): string | undefined }

/** Compares an entry with the newer ones when it is asked for: most items of a long log are never shown. */
export function findReplaced(items: readonly StoredItem[], embed: RecallParts["embedNow"]): Replacements {
  const compared = items.filter(mayBeReplaced).slice(0, mostCompared)
  const known = new Map<string, string | undefined>()
  let log: ComparedLog | undefined
  return {
    get(id) {
      if (known.has(id)) return known.get(id)
      const older = compared.filter((item) => item.id === id)
      if (older.length > 0) log ??= openLog(compared, embed)
      const found = log && replacementOf(older, log)
      known.set(id, found)
      return found
    },
  }
}

function mayBeReplaced({ source, supersededBy, at }: StoredItem): boolean {
  return (source === "decisions" || source === "archive") && supersededBy.length === 0 && at !== undefined
}

/** Every context waits for this, so only the first items are compared. */
const mostCompared = 300

/** The entries that are compared, and how rare their words and tags are among them. */
type ComparedLog = {
  entries: readonly ComparedEntry[]
  /** The entries with a word in their title or summary, by their places. */
  holding: ReadonlyMap<string, readonly number[]>
  rarity(word: string): number
  tagged(tag: string): number
  norm(words: ReadonlySet<string>): number
  isTopic(word: string): boolean
}

function openLog(items: readonly StoredItem[], embed: RecallParts["embedNow"]): ComparedLog {
  const entries = items.map((item) => ({ item, ...wordsIn(item), vector: () => vectorOf(item, embed) }))
  const holding = new Map<string, number[]>()
  for (const [at, { summary }] of entries.entries())
    for (const word of summary) {
      const places = holding.get(word)
      if (places) places.push(at)
      else holding.set(word, [at])
    }
  const rarities = new Map([...holding].map(([word, { length }]) => [word, rarityOf(length, entries.length)]))
  const unknown = rarityOf(0, entries.length)
  const rarity = (word: string) => rarities.get(word) ?? unknown
  const tags = counted(entries.map(({ item }) => new Set(item.tags)))
  const titles = counted(entries.map(({ title }) => title))
  const norms = new Map<ReadonlySet<string>, number>()
  return {
    entries,
    holding,
    rarity,
    tagged: (tag) => tags.get(tag) ?? 1,
    norm(words) {
      const norm = norms.get(words) ?? Math.sqrt(squareOf(words, rarity))
      norms.set(words, norm)
      return norm
    },
    isTopic: (word) => (titles.get(word) ?? 0) >= fewestOfTopic && !unimportant.has(word),
  }
}

function rarityOf(documents: number, all: number): number {
  return Math.log(1 + (all - documents + 0.5) / (documents + 0.5))
}

/** The newer entry that most surely replaced one of these, which have one id. */
function replacementOf(items: readonly StoredItem[], log: ComparedLog): string | undefined {
  const olders = log.entries.filter(({ item }) => items.includes(item))
  const shared = olders.map((older) => countShared(older, log))
  let best = Number.NEGATIVE_INFINITY
  let replacement: string | undefined
  for (const [place, newer] of log.entries.entries())
    for (const [at, older] of olders.entries()) {
      if ((newer.item.at ?? 0) - (older.item.at ?? 0) < leastApart) continue
      if (!shared[at]?.[place] && !newer.isChange()) continue // nothing in common but their subject
      const sureness = compare(newer, older, log)
      if (sureness < threshold || sureness <= best || areAboutOthers(newer, older, log.isTopic)) continue
      best = sureness
      replacement = newer.item.id
    }
  return replacement
}

/** For each entry, how many words of this one's title and summary it has in its own, besides its subject. */
function countShared({ summary }: ComparedEntry, { entries, holding }: ComparedLog): Uint16Array {
  const counts = new Uint16Array(entries.length)
  for (const word of summary)
    for (const place of holding.get(word) ?? []) if (entries[place]?.subject !== word) (counts[place] as number)++
  return counts
}

type ComparedEntry = EntryWords & { item: StoredItem; vector(): Float32Array | undefined }

type EntryWords = {
  title: ReadonlySet<string>
  summary: ReadonlySet<string>
  subject: string | undefined
  all(): ReadonlySet<string>
  isChange(): boolean
  pattern(): string[]
}

/** A process that answers many questions reads an item once: the index hands out the same one while nothing changes. */
const knownWords = new WeakMap<StoredItem, EntryWords>()

/** Expensive values are computed lazily: most entries have nothing in common with any other. */
function wordsIn(item: StoredItem): EntryWords {
  const known = knownWords.get(item)
  if (known) return known
  const text = item.text.slice(0, mostText)
  const sentence = summaryOf(item)
  const title = tokenize(item.title)
  const summary = new Set([...title, ...tokenize(sentence)])
  const words = {
    title: new Set(title),
    summary,
    subject: title[0],
    all: once(() => new Set([...summary, ...tokenize(text)])),
    isChange: once(() => change.test(`${item.title} ${sentence} ${text}`)),
    pattern: once(() => patternOf(item.title)),
  }
  knownWords.set(item, words)
  return words
}

const knownVectors = new WeakMap<StoredItem, { embed: RecallParts["embedNow"]; vector: Float32Array | undefined }>()

function vectorOf(item: StoredItem, embed: RecallParts["embedNow"]): Float32Array | undefined {
  const known = knownVectors.get(item)
  if (known?.embed === embed) return known?.vector
  const vector = embed?.(`${item.title}. ${summaryOf(item)}`)
  knownVectors.set(item, { embed, vector })
  return vector
}

const mostText = 1500

/** The cheapest conditions come first: nearly all pairs fail one of them. */
function compare(newer: ComparedEntry, older: ComparedEntry, log: ComparedLog): number {
  const shared = older.item.tags.filter((tag) => newer.item.tags.includes(tag))
  const either = older.item.tags.length + newer.item.tags.length - shared.length
  const hasAll = shared.length > 0 && shared.length === older.item.tags.length
  const isWeaker = older.item.type === "directive" && newer.item.type !== "directive"
  const atSight =
    weights.base +
    weights.tags * (either === 0 ? 0 : shared.length / either) +
    weights.allTags * Number(hasAll) +
    weights.rareTags * shared.reduce((sum, tag) => sum + 1 / (fewTags + log.tagged(tag)), 0) +
    weights.subject * Number(newer.subject !== undefined && newer.subject === older.subject) +
    weights.weaker * Number(isWeaker)
  const held = weights.held * shareHeld(older.summary, newer.all(), log.rarity)
  const most = atSight + weights.titles + weights.summaries + held + weights.meaning + weights.change
  if (most < threshold) return Number.NEGATIVE_INFINITY
  const words =
    weights.titles * overlap(newer.title, older.title, log) +
    weights.summaries * overlap(newer.summary, older.summary, log)
  if (atSight + words + held + weights.meaning + weights.change < threshold) return Number.NEGATIVE_INFINITY
  if (areParallel(newer, older) && !newer.isChange()) return Number.NEGATIVE_INFINITY
  const [ours, theirs] = [newer.vector(), older.vector()]
  const meaning = ours && theirs ? cosineSimilarity(ours, theirs) : 0
  return atSight + words + held + weights.meaning * meaning + weights.change * Number(newer.isChange())
}

/**
 * Two titles of one pattern are decisions about two things: "The admin app uses Vue", "The customer app uses React". A changed decision
 * differs in one place only. Of two things that one must always or never do, both hold, whatever the number of places; so do two named
 * things of which a product can have several: "Mobile supports iOS 16", "Mobile supports Android 10".
 */
function areParallel(newer: ComparedEntry, older: ComparedEntry): boolean {
  const { shared, replaced } = align(newer.pattern(), older.pattern())
  const [gap] = replaced
  if (shared < 2 || gap === undefined) return false
  if (replaced.length > 1) return true
  if (gap.flat().every(isNumber)) return false
  const titles = [newer.item.title, older.item.title]
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
function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>, { rarity, norm }: ComparedLog): number {
  const [few, many] = one.size < other.size ? [one, other] : [other, one]
  let shared = 0
  for (const word of few) if (many.has(word)) shared += rarity(word) ** 2
  return shared === 0 ? 0 : shared / (norm(one) * norm(other))
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
