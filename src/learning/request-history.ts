import { differenceOf } from "../formats/text-difference.ts"
import { cosineSimilarity } from "../index/embedders/embedder.ts"
import type { Episode } from "../memories/episode.ts"
import type { LearnedStore } from "../memories/learned-store.ts"
import type { EvidencePlace, Operation } from "../memories/writer.ts"
import { findingsOf } from "./episodes/findings.ts"
import { learnedFrom, scoreOf, sentencesIn, vectorOf } from "./words/lasting.ts"
import { lastingWeights } from "./words/lasting-weights.ts"
import { ownWords } from "./words/own-words.ts"
import { ruleText } from "./words/rule-text.ts"
import { statementKindOf } from "./words/statement-kind.ts"
import { clearOperations } from "./writer/grounding.ts"
import { contentWords, isSaid } from "./writer/sentences.ts"

/** What the user asked for in the sessions of a project: a request of three sessions is a preference. */
export type RequestHistory = {
  /** The requests of this episode that make it three sessions or more, with every place where they were made. */
  repeatedIn(episode: Episode, owner: { type: "user" | "team" | "org"; id: string }): Promise<Operation[]>
  /** To be called with every episode when it has been processed. */
  add(episode: Episode): void
}

/** A request that people repeat is repeated soon; what is stored of each session is read as a whole. */
const mostSessions = 60
const fewestSessions = 3

/** Reads the processed episodes when the first request is looked up; one run then keeps up by itself. */
export function openRequestHistory(
  { clientSessions }: Pick<LearnedStore, "clientSessions">,
  project: string,
): RequestHistory {
  const known: Request[] = []
  let loaded: Promise<void> | undefined
  const load = async () => {
    const sessions = await clientSessions(project, { limit: mostSessions })
    const episodes = sessions.flatMap((each) => each.episodes).filter(({ processed }) => processed)
    for (const episode of episodes.sort((one, other) => (one.start < other.start ? -1 : 1)))
      known.push(...requestsIn(episode))
  }
  return {
    async repeatedIn(episode, owner) {
      const requests = requestsIn(episode)
      if (requests.length === 0) return []
      loaded ??= load()
      await loaded
      const operations = requests.flatMap((request) => {
        const same = oneOfEachSession(
          known.filter((other) => areAlike(request, other)),
          request.session,
        )
        return same.length + 1 < fewestSessions ? [] : [toPreference([...same, request], owner)]
      })
      return clearOperations(operations).operations
    },
    add(episode) {
      if (loaded) known.push(...requestsIn(episode))
    },
  }
}

type Request = {
  /** The sentence as a memory: understood without the conversation. */
  text: string
  words: ReadonlySet<string>
  vector: Float32Array
  session: string
  place: EvidencePlace
  isCorrection: boolean
}

const shortest = 3
const longest = 200

/** The sentences that ask for something in a certain way. Rules are learned at once, and questions ask for nothing. */
function requestsIn(episode: Episode): Request[] {
  const { events, client, session } = episode
  const corrections = new Set(
    findingsOf(events, episode.continuationOf !== undefined).flatMap((each) =>
      each.kind === "user_correction" ? each.event : [],
    ),
  )
  return events.flatMap((event, index) => {
    if (!isSaid(event) || event.incident !== undefined) return []
    const message = event.words ?? event.summary
    return sentencesIn(ownWords(message)).flatMap(({ start, end }, at) => {
      const sentence = message.slice(start, end).replace(clientMark, " ").trim()
      const words = new Set([...contentWords(sentence)].filter((word) => !routine.test(word)))
      if (words.size < shortest - 1 || sentence.length > longest || /[?？]\W*$/.test(sentence)) return []
      const score = scoreOf(sentence, lastingWeights())
      const opensSession = at === 0 && !events.slice(0, index).some(isSaid)
      if (score >= learnedFrom || (opensSession && score < mayBeHabit)) return []
      const text = ruleText({ words: sentence, before: undefined })
      if (text === undefined) return []
      const place = { episode: episode.id, event: index }
      const request = { text, words, vector: vectorOf(text), place, isCorrection: corrections.has(index) }
      return [{ ...request, session: `${client} ${session}` }]
    })
  })
}

/** "[Image #1]", "[Request interrupted by user]", "[Pasted text #2 +40 lines]": put there by a client. Links, `items[0]` and [tool.ruff] are the user's. */
const clientMark = /(?<![\w\])`])\[(?:…|[A-Z][a-z]+[ :][^\]\n]{1,110})\](?!\()/g

/** The first sentence of a session is its task, which a script may repeat, unless it reads like a habit. */
const mayBeHabit = -1.5

/** What everybody asks for in every session says nothing about this user. */
const routine =
  /^(?:commits?|committed|push|pushed|pull|pr|prs|merge|rebase|branch|main|master|continue|proceed|retry|again|tests?|testing|build|builds|lint|review|release|deploy|changes?|fix|fails?|failing|errors?|bugs?|issues?|thanks?|please|done|work|works|working|code|files?|everything|now|next|yes|okay|user)$/

/** The same words, or words of the same meaning, and nothing turned into its opposite. */
function areAlike(one: Request, other: Request): boolean {
  const shared = [...one.words].filter((word) => other.words.has(word)).length
  const words = shared / (one.words.size + other.words.size - shared)
  const meaning = one.vector.length === 0 ? words : cosineSimilarity(one.vector, other.vector)
  if (words < 0.3 || (words < 0.6 && meaning < 0.8)) return false
  return !differenceOf(one.text, other.text).contradicts
}

function oneOfEachSession(requests: readonly Request[], but: string): Request[] {
  const first = new Map(requests.toReversed().map((request) => [request.session, request]))
  first.delete(but)
  return [...first.values()].reverse()
}

/** In the words of the first time, so that each later time is one more piece of evidence for the same memory. */
function toPreference(requests: readonly Request[], owner: { type: "user" | "team" | "org"; id: string }): Operation {
  const [first] = requests as [Request]
  const last = requests.at(-1) as Request
  return {
    op: "ADD",
    scope: "project",
    owner,
    kind: "preference",
    tier: "long_term",
    polarity: statementKindOf(first.text) === "never" ? -1 : 1,
    text: first.text,
    ttlDays: null,
    confidence: 0.75,
    evidence: {
      source: requests.some(({ isCorrection }) => isCorrection) ? "user_correction" : "explicit_statement",
      frustration: "none",
      event: last.place.event,
      earlier: requests.slice(0, -1).map(({ place }) => place),
    },
  }
}
