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
  const places = new Map<string, number[]>()
  for (const [place, { id }] of compared.entries()) places.set(id, [...(places.get(id) ?? []), place])
  const known = new Map<string, string | undefined>()
  let log: ComparedLog | undefined
  return {
    get(id) {
      if (known.has(id)) return known.get(id)
      const olders = places.get(id) ?? []
      if (olders.length > 0) log ??= openLog(compared, embed)
      const found = log && replacementOf(olders, log)
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

/** The entries that are compared, and how rare their words and tags are among them. Words are numbers. */
type ComparedLog = {
  entries: readonly ComparedEntry[]
  /** The entries with a word in their title, or in their title or summary. */
  titles: Holders
  summaries: Holders
  /** The places of the entries with a tag. */
  tags: ReadonlyMap<string, readonly number[]>
  shared: InCommon
  /** How rare each word is, by its number. */
  rarity: Float64Array
  /** The entries with a word anywhere, known once many entries were compared. */
  texts: Holders | undefined
  asked: number
  held: Float64Array
  isTopic(word: number): boolean
}

function openLog(items: readonly StoredItem[], embed: RecallParts["embedNow"]): ComparedLog {
  const vocabulary = openVocabulary()
  const words = items.map((item) => wordsIn(item, vocabulary))
  const numbers = vocabulary.texts.length
  const titles = holdersOf(
    words.map(({ title }) => title),
    numbers,
  )
  const summaries = holdersOf(
    words.map(({ summary }) => summary),
    numbers,
  )
  const rarity = new Float64Array(numbers).fill(rarityOf(0, items.length))
  for (let word = 0; word < rarity.length; word++) {
    const documents = countHolders(summaries, word)
    if (documents > 0) rarity[word] = rarityOf(documents, items.length)
  }
  const normOf = (ids: Int32Array) => Math.sqrt(ids.reduce((sum, word) => sum + (rarity[word] as number) ** 2, 0))
  const entries = items.map((item, at): ComparedEntry => {
    const own = words[at] as EntryWords
    return {
      item,
      at: item.at ?? 0,
      words: own,
      titleNorm: once(() => normOf(own.title)),
      summaryNorm: once(() => normOf(own.summary)),
      vector: () => vectorOf(item, embed),
    }
  })
  const tags = new Map<string, number[]>()
  for (const [place, item] of items.entries())
    for (const tag of new Set(item.tags)) {
      const places = tags.get(tag)
      if (places) places.push(place)
      else tags.set(tag, [place])
    }
  return {
    entries,
    titles,
    summaries,
    rarity,
    texts: undefined,
    asked: 0,
    held: new Float64Array(items.length),
    tags,
    shared: {
      words: new Uint16Array(items.length),
      titles: new Float64Array(items.length),
      summaries: new Float64Array(items.length),
      tags: new Uint16Array(items.length),
      rareTags: new Float64Array(items.length),
    },
    isTopic: (word) => countHolders(titles, word) >= fewestOfTopic && !unimportant.has(vocabulary.texts[word] ?? ""),
  }
}

function rarityOf(documents: number, all: number): number {
  return Math.log(1 + (all - documents + 0.5) / (documents + 0.5))
}

/** For each word, the places of the entries that have it, one word's after the other's. */
type Holders = { starts: Int32Array; places: Int32Array }

/** Words from this number on were met later, and no entry that is compared wants them. */
function holdersOf(entries: readonly Int32Array[], numbers: number): Holders {
  const starts = new Int32Array(numbers + 1)
  for (const words of entries) for (const word of words) if (word < numbers) (starts[word + 1] as number)++
  for (let word = 0; word < numbers; word++) starts[word + 1] = (starts[word + 1] as number) + (starts[word] as number)
  const filled = starts.slice()
  const places = new Int32Array(starts[numbers] as number)
  for (const [place, words] of entries.entries())
    for (const word of words) if (word < numbers) places[(filled[word] as number)++] = place
  return { starts, places }
}

function countHolders({ starts }: Holders, word: number): number {
  return (starts[word + 1] ?? 0) - (starts[word] ?? 0)
}

/** The newer entry that most surely replaced one of these, which have one id. */
function replacementOf(olders: readonly number[], log: ComparedLog): string | undefined {
  let best = Number.NEGATIVE_INFINITY
  let replacement: string | undefined
  let replacing = Number.POSITIVE_INFINITY
  for (const at of olders) {
    const older = log.entries[at] as ComparedEntry
    const shared = findShared(older, log)
    const heldBy = heldWeights(older, log)
    for (let place = 0; place < log.entries.length; place++) {
      const newer = log.entries[place] as ComparedEntry
      if (newer.at - older.at < leastApart) continue
      if (shared.words[place] === 0 && !newer.words.isChange()) continue // nothing in common but their subject
      const sureness = compare(newer, older, place, heldBy, log)
      if (sureness < threshold || sureness < best || (sureness === best && place >= replacing)) continue
      if (areAboutOthers(newer, older, log.isTopic)) continue
      best = sureness
      replacement = newer.item.id
      replacing = place
    }
  }
  return replacement
}

/** What each entry has in common with an older one, by its place. */
type InCommon = {
  /** How many words of its title and summary besides its own subject. */
  words: Uint16Array
  /** How rare the words are that both have in their titles, and in titles with summaries. */
  titles: Float64Array
  summaries: Float64Array
  tags: Uint16Array
  rareTags: Float64Array
}

function findShared({ words, item }: ComparedEntry, log: ComparedLog): InCommon {
  const { entries, titles, summaries, tags, rarity, shared } = log
  for (const each of Object.values(shared)) each.fill(0)
  for (const word of words.summary) {
    addWeights(shared.summaries, summaries, word, (rarity[word] as number) ** 2)
    for (let at = summaries.starts[word] as number; at < (summaries.starts[word + 1] as number); at++) {
      const place = summaries.places[at] as number
      if (entries[place]?.words.subject !== word) (shared.words[place] as number)++
    }
  }
  for (const word of words.title) addWeights(shared.titles, titles, word, (rarity[word] as number) ** 2)
  for (const tag of item.tags) {
    const places = tags.get(tag) ?? []
    for (const place of places) {
      ;(shared.tags[place] as number)++
      shared.rareTags[place] = (shared.rareTags[place] as number) + 1 / (fewTags + places.length)
    }
  }
  return shared
}

type ComparedEntry = {
  item: StoredItem
  at: number
  words: EntryWords
  titleNorm(): number
  summaryNorm(): number
  vector(): Float32Array | undefined
}

/** The distinct words of an entry, as numbers. */
type EntryWords = {
  title: Int32Array
  /** Those of the title too. */
  summary: Int32Array
  subject: number | undefined
  all(): Int32Array
  isChange(): boolean
  pattern(): string[]
}

type Vocabulary = {
  texts: string[]
  numbers: Map<string, number>
  /** A process that answers many questions reads an item once: the index hands out the same one while nothing changes. */
  known: WeakMap<StoredItem, EntryWords>
}

/** Far more words than one team uses: then a new one is begun. */
const mostWords = 200_000

let current: Vocabulary | undefined

function openVocabulary(): Vocabulary {
  if (!current || current.texts.length > mostWords) current = { texts: [], numbers: new Map(), known: new WeakMap() }
  return current
}

function numbersOf(words: Iterable<string>, { texts, numbers }: Vocabulary): Int32Array {
  const found = new Set<number>()
  for (const word of words) {
    const number = numbers.get(word) ?? texts.push(word) - 1
    numbers.set(word, number)
    found.add(number)
  }
  return Int32Array.from(found)
}

/** Expensive values are computed lazily: most entries have nothing in common with any other. */
function wordsIn(item: StoredItem, vocabulary: Vocabulary): EntryWords {
  const known = vocabulary.known.get(item)
  if (known) return known
  const text = item.text.slice(0, mostText)
  const sentence = summaryOf(item)
  const titleTokens = tokenize(item.title)
  const title = numbersOf(titleTokens, vocabulary)
  const summary = numbersOf([...titleTokens, ...tokenize(sentence)], vocabulary)
  const words: EntryWords = {
    title,
    summary,
    subject: title[0],
    all: once(() => {
      const titleAndSummary = Array.from(summary, (word) => vocabulary.texts[word] as string)
      return numbersOf([...titleAndSummary, ...tokenize(text)], vocabulary)
    }),
    isChange: once(() => change.test(`${item.title} ${sentence} ${text}`)),
    pattern: once(() => patternOf(item.title)),
  }
  vocabulary.known.set(item, words)
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
function compare(
  newer: ComparedEntry,
  older: ComparedEntry,
  place: number,
  heldBy: (place: number) => number,
  { shared }: ComparedLog,
): number {
  const tags = shared.tags[place] as number
  const either = older.item.tags.length + newer.item.tags.length - tags
  const hasAll = tags > 0 && tags === older.item.tags.length
  const isWeaker = older.item.type === "directive" && newer.item.type !== "directive"
  const { subject } = newer.words
  const atSight =
    weights.base +
    weights.tags * (either === 0 ? 0 : tags / either) +
    weights.allTags * Number(hasAll) +
    weights.rareTags * (shared.rareTags[place] as number) +
    weights.subject * Number(subject !== undefined && subject === older.words.subject) +
    weights.weaker * Number(isWeaker)
  const others = weights.meaning + weights.change
  const words =
    weights.titles * overlap(shared.titles[place] as number, newer.titleNorm() * older.titleNorm()) +
    weights.summaries * overlap(shared.summaries[place] as number, newer.summaryNorm() * older.summaryNorm())
  if (atSight + words + weights.held + others < threshold) return Number.NEGATIVE_INFINITY
  const held = weights.held * heldBy(place)
  if (atSight + words + held + others < threshold) return Number.NEGATIVE_INFINITY
  if (areParallel(newer, older) && !newer.words.isChange()) return Number.NEGATIVE_INFINITY
  const [ours, theirs] = [newer.vector(), older.vector()]
  const meaning = ours && theirs ? cosineSimilarity(ours, theirs) : 0
  return atSight + words + held + weights.meaning * meaning + weights.change * Number(newer.words.isChange())
}

/**
 * Two titles of one pattern are decisions about two things: "The admin app uses Vue", "The customer app uses React". A changed decision
 * differs in one place only. Of two things that one must always or never do, both hold, whatever the number of places; so do two named
 * things of which a product can have several: "Mobile supports iOS 16", "Mobile supports Android 10".
 */
function areParallel(newer: ComparedEntry, older: ComparedEntry): boolean {
  const { shared, replaced } = align(newer.words.pattern(), older.words.pattern())
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
function areAboutOthers(one: ComparedEntry, other: ComparedEntry, isTopic: (word: number) => boolean): boolean {
  const hasOwn = (entry: ComparedEntry, beside: ComparedEntry) =>
    entry.words.title.some((word) => isTopic(word) && !beside.words.all().includes(word))
  return hasOwn(one, other) && hasOwn(other, one)
}

/** For each entry, the share of this one's rare words that it has anywhere. */
function heldWeights({ words: { summary } }: ComparedEntry, log: ComparedLog): (place: number) => number {
  const { entries, rarity, held } = log
  const weightOf = (word: number) => rarity[word] as number
  const all = summary.reduce((sum, word) => sum + weightOf(word), 0)
  if (all === 0) return () => 0
  if (++log.asked <= fewAsked) {
    const wanted = new Map(Array.from(summary, (word) => [word, weightOf(word)]))
    return (place) => {
      let sum = 0
      for (const word of (entries[place] as ComparedEntry).words.all()) sum += wanted.get(word) ?? 0
      return sum / all
    }
  }
  log.texts ??= holdersOf(
    entries.map(({ words }) => words.all()),
    rarity.length,
  )
  held.fill(0)
  for (const word of summary) addWeights(held, log.texts, word, weightOf(word))
  return (place) => (held[place] as number) / all
}

/** For so few, reading all texts would take longer than the comparisons. */
const fewAsked = 4

function addWeights(sums: Float64Array, { starts, places }: Holders, word: number, weight: number): void {
  const end = starts[word + 1] as number
  for (let at = starts[word] as number; at < end; at++) {
    const place = places[at] as number
    sums[place] = (sums[place] as number) + weight
  }
}

/** Cosine of two sets of words, weighted by their rarity. */
function overlap(shared: number, norms: number): number {
  return shared === 0 ? 0 : shared / norms
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
