import { type AmendedTopic, amendedTopics } from "./amended-topics.ts"
import type { DataSet, Document, Query, Split } from "./data.ts"
import { seededRandom, shuffle } from "./seeded-random.ts"

const areas = ["billing service", "mobile app", "import pipeline", "admin console", "public API"]

const day = 86_400_000

/**
 * Two hundred decisions and their later amendments: forty topics in five areas each, so that every pair has near neighbours
 * about the same matter elsewhere and about other matters in the same area. To a third of the pairs comes a still later note
 * that touches the topic and changes nothing. Half of the topics are for development.
 */
export function makeAmendedPairs(links: boolean): DataSet {
  const random = seededRandom(4)
  const set: DataSet = { name: links ? "amended-linked" : "amended", stores: [], queries: [] }
  for (const split of ["development", "test"] as const) {
    const documents: Document[] = []
    const topics = amendedTopics.filter((_, index) => (index % 2 === 0) === (split === "development"))
    for (const topic of topics) {
      for (const area of areas) {
        const pair = makePair(topic, area, links, random)
        documents.push(...pair)
        set.queries.push(makeQuery(topic, area, split, random))
      }
    }
    set.stores.push({ name: `amended, ${split}`, documents: shuffle(documents, 4), split })
  }
  return set
}

function makePair(topic: AmendedTopic, area: string, links: boolean, random: () => number): Document[] {
  const decided = Date.UTC(2025, 0, 6) + Math.floor(random() * 300) * day
  const amended = decided + (3 + Math.floor(random() * 200)) * day
  const key = keyOf(topic, area)
  const first = pick(decisionWordings, random)(topic, area)
  const then = pick(amendmentWordings, random)(topic, area)
  const pair: Document[] = [
    { id: `${key}/decision`, ...first, at: decided, origin: "decisions.md", position: 0 },
    { id: `${key}/amendment`, ...then, at: amended, origin: "decisions.md", position: 1 },
  ]
  if (links) pair[1] = { ...(pair[1] as Document), supersedes: [`${key}/decision`] }
  if (random() < 1 / 3) {
    const note = pick(noteWordings, random)(topic, area)
    pair.push({ id: `${key}/note`, ...note, at: amended + 14 * day, origin: "decisions.md", position: 2 })
  }
  return pair
}

function makeQuery(topic: AmendedTopic, area: string, split: Split, random: () => number): Query {
  const key = keyOf(topic, area)
  return {
    id: key,
    store: `amended, ${split}`,
    kind: "amended",
    text: pick(queryWordings, random)(topic, area),
    relevant: [`${key}/amendment`],
    stale: [`${key}/decision`],
    answerable: true,
  }
}

type Wording = (topic: AmendedTopic, area: string) => { title: string; text: string }

const decisionWordings: Wording[] = [
  ({ subject, first, why }, area) => ({
    title: `${capital(subject)} of the ${area}`,
    text: `**What:** In the ${area} we ${first}.\n**Why:** ${capital(why)}.`,
  }),
  ({ subject, first, why }, area) => ({
    title: `${capital(area)}: ${first}`,
    text: `Decided in the weekly meeting about the ${subject}. We ${first}, because ${why}. Revisit when this stops being true.`,
  }),
  ({ subject, first, why }, area) => ({
    title: `Decide the ${subject} for the ${area}`,
    text: `## Context\nThe ${area} needs a rule for its ${subject}; ${why}.\n\n## Decision\nWe ${first}.`,
  }),
]

const amendmentWordings: Wording[] = [
  ({ subject, then, whyThen }, area) => ({
    title: `Amendment: ${subject} of the ${area}`,
    text: `**What:** In the ${area} we now ${then}.\n**Why:** ${capital(whyThen)}.`,
  }),
  ({ subject, first, then, whyThen }, area) => ({
    title: `${capital(area)}: ${then}`,
    text: `Changes the ${subject}. So far the rule was to ${first}; from now on we ${then}, because ${whyThen}.`,
  }),
  ({ subject, then, whyThen }, area) => ({
    title: `Revise the ${subject} for the ${area}`,
    text: `## Context\nThe ${subject} of the ${area} did not hold: ${whyThen}.\n\n## Decision\nWe ${then}.`,
  }),
  ({ subject, then, whyThen }, area) => ({
    title: `${capital(subject)} of the ${area}`,
    text: `**What:** We ${then} in the ${area}.\n**Why:** ${capital(whyThen)}.`,
  }),
]

const noteWordings: Wording[] = [
  ({ subject }, area) => ({
    title: `Dashboard for the ${subject} of the ${area}`,
    text: `Added a panel that shows how the ${subject} behaves in the ${area}. Nothing about the rule itself changes.`,
  }),
  ({ subject }, area) => ({
    title: `Documentation of the ${subject}`,
    text: `The handbook's page on the ${area} has a chapter about the ${subject} now, with an example to copy.`,
  }),
]

const queryWordings: ((topic: AmendedTopic, area: string) => string)[] = [
  ({ question }, area) => `${question} It is about the ${area}.`,
  ({ subject }, area) => `${subject} ${area}`,
  ({ subject }, area) => `What is our ${subject} in the ${area}?`,
  ({ subject }, area) => `Work on the ${area} so that it follows our decision on ${subject}`,
]

function pick<Choice>(choices: Choice[], random: () => number): Choice {
  return choices[Math.floor(random() * choices.length)] as Choice
}

function keyOf({ subject }: AmendedTopic, area: string): string {
  return `${area}/${subject}`.replaceAll(" ", "-")
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
