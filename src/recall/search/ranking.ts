import type {
  Filter,
  FoundCandidates,
  IndexCandidate,
  IndexQueryTerm,
  ItemSource,
  Model,
} from "../../index/index-store.ts"
import { k1 } from "../../index/term-lists.ts"
import type { RecallParts } from "../recall-parts.ts"

export type Signals = Pick<IndexCandidate, "words" | "coverage" | "static" | "minilm"> & {
  /** The score lent by neighbours in the same conversation or history. */
  neighbours: number
}

export type Ranked = {
  candidate: IndexCandidate
  /** Orders the candidates of one request; not comparable across requests. */
  score: number
  /** Whether it answers the request at all, 0 to 1; comparable across requests. */
  relevance: number
  /** Whether that is enough to be included unasked. */
  qualifies: boolean
  signals: Signals
}

/** Ranks candidates by words and meaning, neighbours of hits, and succession; best first. */
export function rank({ candidates, terms }: FoundCandidates): Ranked[] {
  const own = scoreSignals(candidates, terms.length)
  const lent = lendToNeighbours(candidates, own)
  const scored = candidates.map((candidate, at) => {
    const { words, coverage, static: table, minilm } = candidate
    const neighbours = lent[at] as number
    const signals: Signals = { words, coverage, static: table, minilm, neighbours }
    return { candidate, score: (own[at] as number) + neighbours, relevance: relevanceOf(candidate, terms), signals }
  })
  const ranked = orderBySuccession(scored)
  const { first, others } = rankWeights.relevance
  const isAnswered = (ranked[0]?.relevance ?? 0) >= first
  return ranked.map((item) => ({ ...item, qualifies: isAnswered && item.relevance >= others }))
}

/**
 * Whether an item answers the request at all, 0 to 1, whatever else was found: a logistic function of the share of the request's words
 * that it contains, how strongly it contains them, and its similarity. One set of coefficients per model, because thresholds do not carry
 * over.
 */
function relevanceOf(
  { coverage, words, minilm, static: table }: IndexCandidate,
  terms: readonly IndexQueryTerm[],
): number {
  const model = minilm !== undefined ? "minilm" : table !== undefined ? "static" : "none"
  const { base, covered, strength, likeness } = rankWeights.relevance[model]
  const most = terms.reduce((sum, { idf }) => sum + idf, 0) * (k1 + 1)
  const held = most === 0 ? 0 : words / most
  return 1 / (1 + Math.exp(-(base + covered * coverage + strength * held + likeness * (minilm ?? table ?? 0))))
}

/**
 * The score of each candidate by words and meaning: the sum of how far it stands out from the others by each. Standing out counts, not the
 * size: one clear hit by either signal wins over many that are equally good by the other.
 */
function scoreSignals(candidates: readonly IndexCandidate[], terms: number): Float64Array {
  const words = candidates.map(({ words }) => words)
  const meaning = candidates.map(meaningOf)
  const first = [...new Set([...bestOf(words), ...bestOf(meaning)])]
  const byWords = standardScores(words, first)
  const byMeaning = standardScores(meaning, first)
  const byBoth = meanOfModels(candidates, byMeaning, first)
  const fading = Math.min(1, rankWeights.meaning.fewWords / Math.max(1, terms))
  return Float64Array.from(candidates, ({ source, passages }, at) => {
    const own = isSequence(source)
      ? (rankWeights.meaning.sequences / Math.sqrt(Math.max(1, passages?.length ?? 1))) * (byBoth[at] as number)
      : rankWeights.meaning.records * (byMeaning[at] as number)
    return (byWords[at] as number) + fading * own
  })
}

/** For what was said, where vectors err the most, both models together are better than the finer one alone. */
function meanOfModels(
  candidates: readonly IndexCandidate[],
  finest: Float64Array,
  first: readonly number[],
): Float64Array {
  const hasBoth =
    candidates.some(({ minilm }) => minilm !== undefined) && candidates.some((each) => each.static !== undefined)
  if (!hasBoth || !candidates.some(({ source }) => isSequence(source))) return finest
  const coarser = standardScores(
    candidates.map((each) => each.static),
    first,
  )
  return finest.map((value, at) => (value + (coarser[at] as number)) / 2)
}

/** The finest model that speaks. */
export function meaningOf({ minilm, static: table }: IndexCandidate): number | undefined {
  return minilm ?? table
}

/** Whether items of a source follow from each other, so that the answer may be next to the question. */
function isSequence(source: ItemSource): boolean {
  return source === "history" || source === "session"
}

/** Whether items of a source are not decisions, so that a newer one replaces none. */
function isSaid(source: ItemSource): boolean {
  return isSequence(source) || source === "conversation" || source === "commit"
}

/** A fixed number of the best by each signal defines what is usual: requesting more must not change their order. */
const mostCompared = 100

function bestOf(values: readonly (number | undefined)[]): number[] {
  const places = values.map((_, at) => at)
  if (places.length <= mostCompared) return places
  return places.sort((one, other) => (values[other] ?? -1) - (values[one] ?? -1) || one - other).slice(0, mostCompared)
}

/**
 * Deviations from the mean of the values at the given positions, in units of their standard deviation; a candidate without a value counts
 * as the lowest.
 */
export function standardScores(
  values: readonly (number | undefined)[],
  places: readonly number[] = values.map((_, at) => at),
): Float64Array {
  const known = values.filter((value) => value !== undefined)
  if (known.length === 0) return new Float64Array(values.length)
  const least = known.reduce((one, other) => Math.min(one, other))
  const filled = Float64Array.from(values, (value) => value ?? least)
  const usual = Float64Array.from(places, (at) => filled[at] as number)
  const mean = usual.reduce((sum, value) => sum + value, 0) / usual.length
  const variance = usual.reduce((sum, value) => sum + (value - mean) ** 2, 0) / usual.length
  const deviation = Math.sqrt(variance)
  return deviation < 1e-9 ? new Float64Array(values.length) : filled.map((value) => (value - mean) / deviation)
}

/**
 * What each candidate gains from its neighbours in a conversation or history: the answer is often next to the matching words. Of the two
 * at each distance the better one counts; one that scores below the mean adds nothing.
 */
function lendToNeighbours(candidates: readonly IndexCandidate[], scores: Float64Array): Float64Array {
  const places = new Map<string, number>()
  candidates.forEach(({ source, origin, position }, at) => {
    if (isSequence(source)) places.set(`${position} ${origin}`, at)
  })
  const scoreAt = (position: number, origin: string) =>
    Math.max(0, scores[places.get(`${position} ${origin}`) ?? -1] ?? 0)
  const { beside, oneFurther } = rankWeights.neighbours
  return Float64Array.from(candidates, ({ source, origin, position }) => {
    if (!isSequence(source)) return 0
    const near = Math.max(scoreAt(position - 1, origin), scoreAt(position + 1, origin))
    const further = Math.max(scoreAt(position - 2, origin), scoreAt(position + 2, origin))
    return beside * near + oneFurther * further
  })
}

export type Scored = { candidate: IndexCandidate; score: number; relevance: number }

/**
 * Ranks every candidate before those it replaces: it inherits the best of their scores and their relevance if its own is lower. A link
 * decides whatever the scores; without one, the newer of two with titles on the same topic, if it is nearly as relevant. The order is by
 * score, then by the number of replaced items, then the newest, then the id.
 */
function orderBySuccession<Item extends Scored>(scored: readonly Item[]): Item[] {
  const sorted = [...scored].sort(byScoreThenNewest)
  const places = sorted.map((item) => ({ item: { ...item }, generation: 0 }))
  passOn([...findLinks(sorted), ...findUpdates(sorted)], places)
  return places
    .sort((one, other) => other.item.score - one.item.score || other.generation - one.generation)
    .map(({ item }) => item)
}

/** A candidate's position in the sorted list, and the position of what it replaces. */
type Replacement = [newer: number, older: number]

type Place = { item: Scored; generation: number }

/** Hands on from older to newer over any number of steps, and counts the steps. */
function passOn(replacements: Replacement[], places: Place[]): void {
  let changed = replacements.length > 0
  for (let pass = 0; changed && pass < mostGenerations; pass++) {
    changed = false
    for (const replacement of replacements) {
      const newer = places[replacement[0]] as Place
      const older = places[replacement[1]] as Place
      const generation = Math.max(newer.generation, older.generation + 1)
      const score = Math.max(newer.item.score, older.item.score)
      const relevance = Math.max(newer.item.relevance, older.item.relevance)
      if (generation === newer.generation && score === newer.item.score && relevance === newer.item.relevance) continue
      newer.generation = generation
      newer.item.score = score
      newer.item.relevance = relevance
      changed = true
    }
  }
}

const mostGenerations = 64 // circular links would never converge

function findLinks(sorted: readonly Scored[]): Replacement[] {
  if (sorted.every(({ candidate }) => candidate.supersededBy.length === 0)) return []
  const places = new Map(sorted.map(({ candidate }, at) => [candidate.id, at]))
  return sorted.flatMap(({ candidate }, older) =>
    candidate.supersededBy.flatMap((id): Replacement[] => {
      const newer = places.get(id)
      return newer === undefined || newer === older ? [] : [[newer, older]]
    }),
  )
}

/** So far down an outdated item would still be seen. */
const depth = 30

/** Among the first, items with the title of an older one, and conversations about the matter of an earlier one. */
function findUpdates(sorted: readonly Scored[]): Replacement[] {
  const first = sorted.slice(0, depth).map(withTitle)
  const isSameMatter = sameMatterTest(first)
  return first.flatMap((newer, at) =>
    first.flatMap((older, place): Replacement[] =>
      isUpdate(newer, older) || isSameMatter(newer, older) ? [[at, place]] : [],
    ),
  )
}

/**
 * Whether a conversation of a later day is about the matter of an earlier one, and probably changed what was settled
 * there. Both stand out from what else was found, and their words are more alike than those of most pairs: the less the
 * newer one stands out beside the older, the more alike they must be. Titles tell little, since a conversation is named
 * by its first words, and neither do words such as "amend": most who change a rule do not say so.
 */
function sameMatterTest(first: readonly Scored[]): (newer: Scored, older: Scored) => boolean {
  const said = first.filter(({ candidate }) => candidate.source === "conversation")
  if (said.length < 2) return () => false
  const words = new Map(said.map(({ candidate }) => [candidate.row, candidate.allWords()]))
  const holders = new Map<number, number>()
  for (const own of words.values()) for (const word of own) holders.set(word, (holders.get(word) ?? 0) + 1)
  const weightOf = (word: number) => Math.log(1 + said.length / (holders.get(word) ?? 1))
  const sums = new Map([...words].map(([row, own]) => [row, [...own].reduce((sum, word) => sum + weightOf(word), 0)]))
  const alike = (one: number, other: number) => {
    const [own, others] = [words.get(one) ?? new Set<number>(), words.get(other) ?? new Set<number>()]
    let shared = 0
    for (const word of own) if (others.has(word)) shared += weightOf(word)
    return shared / Math.sqrt((sums.get(one) ?? 1) * (sums.get(other) ?? 1))
  }
  const rows = [...words.keys()]
  const pairs = rows.flatMap((one, at) => rows.slice(at + 1).map((other) => alike(one, other)))
  const mean = pairs.reduce((sum, value) => sum + value, 0) / pairs.length
  const deviation = Math.sqrt(pairs.reduce((sum, value) => sum + (value - mean) ** 2, 0) / pairs.length)
  const { stands, likeness, hours } = rankWeights.sameMatter
  return (newer, older) => {
    if (newer.score < stands || newer.score >= older.score) return false
    if ((newer.candidate.at ?? 0) - (older.candidate.at ?? Number.POSITIVE_INFINITY) < hours * 3_600_000) return false
    const [one, other] = [newer.candidate.row, older.candidate.row]
    if (!words.has(one) || !words.has(other)) return false
    return ((alike(one, other) - mean) / deviation) * (newer.score / older.score) >= likeness
  }
}

/** `title` gathers its words when they are first compared. */
type Titled = Scored & { title(): Set<number> }

function withTitle(item: Scored): Titled {
  let words: Set<number> | undefined
  return {
    ...item,
    title() {
      words ??= item.candidate.titleWords()
      return words
    },
  }
}

/**
 * Whether the first is active, newer than the second, on the same topic by its title, and nearly as relevant. How much less relevant it
 * may be depends on how certain the rest is: the same title, or words that say it amends something. Links have the last word.
 */
function isUpdate(newer: Titled, older: Titled): boolean {
  if (!isNewer(newer, older) || newer.candidate.supersededBy.length > 0) return false
  if (isSaid(newer.candidate.source) || isSaid(older.candidate.source)) return false
  const rules = rankWeights.updates.filter(
    (rule) =>
      (!rule.amends || newer.candidate.amends) &&
      newer.score >= rule.score * older.score &&
      newer.candidate.coverage >= older.candidate.coverage - rule.coverage,
  )
  if (rules.length === 0) return false // most pairs: what follows takes time
  const titles = shareOf(newer.title(), older.title())
  return rules.some((rule) => titles >= rule.titles)
}

function isNewer(one: Scored, other: Scored): boolean {
  return one.candidate.at !== undefined && other.candidate.at !== undefined && one.candidate.at > other.candidate.at
}

function shareOf(one: Set<number>, other: Set<number>): number {
  let shared = 0
  for (const word of one) if (other.has(word)) shared++
  const all = one.size + other.size - shared
  return all === 0 ? 0 : shared / all
}

function byScoreThenNewest(one: Scored, other: Scored): number {
  const newest = (other.candidate.at ?? 0) - (one.candidate.at ?? 0)
  return other.score - one.score || newest || (one.candidate.id < other.candidate.id ? -1 : 1)
}

/**
 * How the signals are weighed. Chosen on decision logs, architecture decision records and conversations, one setting at a time, where the
 * figures stay level to both sides; `bench/recall/tune.ts` moves each and prints what that does.
 */
export const rankWeights = {
  /** What meaning counts beside words, both as deviations from the candidates' mean. */
  meaning: {
    /** For a question of few words against whole records: it is mostly put in other words than the answer. */
    records: 1.5,
    /**
     * For turns and bullets: too short for a vector to say much, while a rare word in common says a lot. Divided by the square root of the
     * number of passages: of many passages one is alike by chance.
     */
    sequences: 0.9,
    /** From so many different words on, the weight falls in inverse proportion: a long task repeats the record's own words. */
    fewWords: 10,
  },
  /** What items of a conversation or history lend to those beside them, and to those one further. */
  neighbours: { beside: 0.6, oneFurther: 0.3 },
  /**
   * When a newer candidate takes the place of an older one without a link between them: any of these must hold. `titles` is the share of
   * their titles' words in common, `score` the share of the older one's score that it has at least, `coverage` how much less of the request's
   * words it may hold. Likeness of meaning was tried: in a log about one product it moves more entries that are right than outdated ones.
   */
  updates: [
    { amends: false, titles: 0.33, score: 0.75, coverage: 0.05 },
    { amends: false, titles: 0.6, score: 0.5, coverage: 0.25 },
    { amends: true, titles: 0.18, score: 0.4, coverage: 0.1 },
  ],
  /**
   * The same for conversations: the newer one's score, its share of the older one's times how alike they are, in
   * deviations from the mean of all pairs, and the hours between them: what continues on the same day amends nothing.
   */
  sameMatter: { stands: 3, likeness: 0.75, hours: 12 },
  /**
   * Coefficients, by model, of the logistic function that decides whether an item answers a request. Fitted on hand-written questions,
   * asked in their own store and in others', then shifted so that 0.5 leaves nine of ten unanswerable questions unanswered.
   */
  relevance: {
    minilm: { base: -6.15, covered: 4.5, strength: 0, likeness: 13.8 },
    static: { base: -6.3, covered: 4.7, strength: 0, likeness: 12.5 },
    none: { base: -3.85, covered: 1.8, strength: 10.9, likeness: 0 },
    /** What the first result must have for anything to qualify… */
    first: 0.5,
    /** …and what the others must have then: if there is one answer, its neighbours may be relevant too. */
    others: 0.25,
    /** What the first result must have if a single sentence of a task was the query: several tries find something more easily. */
    sentence: 0.7,
  },
} as const

/** How many items each signal may propose by default: twice as many change no figure of the benchmark. */
export const fewProposals = 100

/** Items relevant to a text, best first: found by words and, if there are vectors, by meaning. */
export async function findRanked(
  parts: RecallParts,
  text: string,
  filter: Filter,
  { proposals = fewProposals, complete = false }: { proposals?: number; complete?: boolean } = {},
): Promise<Ranked[]> {
  const vectors = await vectorsOf(parts, text)
  const now = parts.now().getTime()
  return rank(await parts.index.find({ text, vectors, filter, limit: proposals, neighbours: 20, complete, now }))
}

/** A text's vector by every model that this process has. */
export async function vectorsOf(parts: RecallParts, text: string): Promise<{ model: Model; vector: Float32Array }[]> {
  const vectors: { model: Model; vector: Float32Array }[] = []
  if (parts.embedNow) vectors.push({ model: "static", vector: parts.embedNow(text) })
  if (parts.embedDeep) vectors.push({ model: "minilm", vector: await parts.embedDeep(text) })
  return vectors
}
