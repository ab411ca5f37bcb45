import type { PlanItem, TranscriptEvent } from "../../formats/client-events.ts"
import { pathsIn } from "../../formats/file-paths.ts"
import { toOneLine, truncate } from "../../formats/text.ts"
import { scrubText } from "../../governance/redaction.ts"
import type { EpisodeEvent } from "../../memories/episode.ts"
import type { ObservedEntry, ObservedWork } from "../../sessions/observed-work.ts"
import { compressEvent } from "../episodes/compressed-event.ts"
import { contentWords } from "../writer/sentences.ts"
import { type FoundStatement, findingsIn } from "./statements.ts"
import { findTries, type Try } from "./tried.ts"

/** Events of one agent with their full text, in order. */
type Work = {
  agent: string | undefined
  events: EpisodeEvent[]
  texts: Map<number, string>
  refused: Set<number>
  plan: PlanItem[] | undefined
}

const mostDiscoveries = 10
const mostAttempts = 60
const mostDecisions = 20
const mostFiles = 30
const mostSteps = 12
const longestMessage = 20_000
const mostEvents = 20_000

/** Collects the events of a conversation, its sub-agents' too, and makes notes of them. Replaying yields the same notes. */
export function openNoteTaker(client: string, session: string, root: string) {
  const works = new Map<string, Work>()
  return {
    take(event: TranscriptEvent): void {
      const { session: own } = event
      const work = works.get(own) ?? newWork()
      works.set(own, work)
      if (work.events.length >= mostEvents) return
      if (event.agent !== undefined) work.agent = event.agent.name ?? `sub-agent ${own.split("#").at(-1)?.slice(0, 8)}`
      if (event.plan !== undefined) work.plan = event.plan
      if (event.kind === "message") work.texts.set(work.events.length, event.text.slice(0, longestMessage))
      if (event.isError === true) work.refused.add(work.events.length)
      work.events.push(compressEvent(event, root))
    },
    /** The user started over. */
    clear: () => works.clear(),
    notes(): ObservedWork[] {
      const place = { client, session }
      const all = [...works].map(([own, work]) => notesOf(work, own === session ? place : { client, session: own }))
      return bestDiscoveries(all)
    },
  }
}

function newWork(): Work {
  return { agent: undefined, events: [], texts: new Map(), refused: new Set(), plan: undefined }
}

type Place = { client: string; session: string }
type ScoredNotes = Omit<ObservedWork, "discoveries"> & { found: { note: ObservedEntry; score: number }[] }

function notesOf({ agent, events, texts, refused, plan }: Work, place: Place): ScoredNotes {
  const sourceOf = (at: number, part = "") => {
    const { line, id } = events[at] as EpisodeEvent
    return `${place.client}/${place.session}/${line > 0 ? line : id}${part}`
  }
  const tries = findTries(events, { texts, refused })
  return {
    agent,
    attempts: tries.slice(-mostAttempts).map((each) => attemptNote(each, events, sourceOf)),
    found: discoveriesIn(events, texts, tries, sourceOf),
    decisions: decisionsIn(events, texts, sourceOf).slice(-mostDecisions),
    context: contextOf(events, texts, plan, tries),
  }
}

type SourceOf = (at: number, part?: string) => string

function attemptNote(tried: Try, events: readonly EpisodeEvent[], sourceOf: SourceOf): ObservedEntry {
  const { first, last, description, files, runs, result, error, output, iterations } = tried
  const [start, end] = [events[first], events[last]]
  const commands = runs.map(({ command }) => command)
  const edited =
    files.length === 0 ? "" : `Edited ${files.slice(0, 6).join(", ")}${files.length > 6 ? " and others" : ""}`
  const ran = commands.length === 0 ? "" : `ran ${commands.map((command) => `\`${command}\``).join(", ")}`
  const approach = [edited, edited === "" ? ran.replace(/^r/, "R") : ran].filter(Boolean).join("; ")
  const duration = Date.parse(end?.ts ?? "") - Date.parse(start?.ts ?? "")
  return {
    source: sourceOf(first),
    timestamp: start?.ts ?? "",
    fields: {
      updatedAt: end?.ts,
      description: scrubText(description),
      approach,
      commands,
      result,
      ...(error === undefined ? {} : { error: truncate(error, 300) }),
      ...(output === undefined || output === "" ? {} : { output: truncate(output, 300) }),
      artifacts: files.slice(0, mostFiles).map((path) => ({ path, action: "modify" })),
      ...(result !== "in_progress" && duration >= 0 ? { duration_ms: duration } : {}),
      ...(iterations > 1 ? { iterations } : {}),
    },
  }
}

/** What the agent reported. A cause that was followed by a passing check counts most. */
function discoveriesIn(
  events: readonly EpisodeEvent[],
  texts: ReadonlyMap<number, string>,
  tries: readonly Try[],
  sourceOf: SourceOf,
): ScoredNotes["found"] {
  const found: (ScoredNotes["found"][number] & { at: number; text: string })[] = []
  for (const [at, text] of texts) {
    if (events[at]?.role !== "assistant") continue
    for (const [number, statement] of findingsIn(text).entries()) {
      if (found.some((each) => isSame(each.text, statement.text))) continue
      const solved = statement.type === "failure_cause" ? solvedBy(at, tries) : undefined
      const note = discoveryNote(statement, solved, events, { source: sourceOf(at, `.${number + 1}`), at })
      found.push({ note, score: statement.score + (solved ? 2 : 0), at, text: statement.text })
    }
  }
  return found.filter(({ score }) => score >= leastScore)
}

const leastScore = 2.5

/** The attempt that passed next, if one before it had failed. */
function solvedBy(at: number, tries: readonly Try[]): { failed: Try; passed: Try } | undefined {
  const failed = tries.findLast(({ last, result }) => last < at && result === "failure")
  const next = tries.find(({ last }) => last > at)
  if (failed === undefined || next?.result !== "success") return undefined
  const isSameCheck = next.runs.some(({ key }) => failed.runs.some((run) => run.key === key))
  return isSameCheck ? { failed, passed: next } : undefined
}

function discoveryNote(
  { type, text, score }: FoundStatement,
  solved: { failed: Try; passed: Try } | undefined,
  events: readonly EpisodeEvent[],
  { source, at }: { source: string; at: number },
): ObservedEntry {
  const quote = scrubText(text)
  const error = solved?.failed.error
  const content = [
    quote,
    ...(solved && error !== undefined ? [`Before: ${truncate(error, 200)}`] : []),
    ...(solved ? [`After that, \`${solved.passed.runs.at(-1)?.command}\` passed.`] : []),
  ].join("\n")
  return {
    source,
    timestamp: events[at]?.ts ?? "",
    fields: {
      type: solved ? "solution_verified" : type,
      importance: solved || score >= 4 ? "high" : "medium",
      content,
      quote,
      relatedFiles: pathsIn(text)
        .filter((path) => /^[\w./@-]+$/.test(path) && (path.includes("/") || sourceFile.test(path)))
        .slice(0, 6),
    },
  }
}

const sourceFile =
  /\.(?:[cm]?[jt]sx?|go|py|rs|java|kt|rb|php|cs|cpp|hpp?|c|swift|css|html|json|ya?ml|toml|md|sql|sh|mod)$/

function isSame(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()]
  return a === b || a.includes(b) || b.includes(a)
}

/** The best of all agents, in order. */
function bestDiscoveries(all: readonly ScoredNotes[]): ObservedWork[] {
  const best = new Set(
    all
      .flatMap(({ found }) => found)
      .sort((one, other) => other.score - one.score)
      .slice(0, mostDiscoveries),
  )
  return all.map(({ found, ...notes }) => ({
    ...notes,
    discoveries: found.filter((each) => best.has(each)).map(({ note }) => note),
  }))
}

/** The user's answers to the agent's questions, and corrections. */
function decisionsIn(
  events: readonly EpisodeEvent[],
  texts: ReadonlyMap<number, string>,
  sourceOf: SourceOf,
): ObservedEntry[] {
  return events.flatMap((event, at) => {
    if (event.role !== "user" || event.kind !== "message" || event.incident !== undefined) return []
    if (event.id.endsWith(":answer")) return answersIn(texts.get(at) ?? "", event, sourceOf(at))
    const before = events.slice(0, at).findLastIndex(({ kind, role }) => kind === "message" && role === "assistant")
    const asked =
      before >= 0 && !events.slice(before + 1, at).some(({ role, kind }) => role === "user" && kind === "message")
    const question = asked && events[before]?.asks ? questionIn(texts.get(before) ?? "") : undefined
    const words = toOneLine(event.words ?? event.summary)
    if (question === undefined || words.length > 400 || !answers(words, question) || event.opener === "new task")
      return []
    return [
      decisionNote(
        words.length > shortAnswer ? words : `${question} ${words}`,
        `Asked: ${question}`,
        event,
        sourceOf(at),
      ),
    ]
  })
}

/** One for each question of a question tool: the question, and the answer on the next line. */
function answersIn(text: string, event: EpisodeEvent, source: string): ObservedEntry[] {
  return text.split("\n\n").flatMap((pair, number) => {
    const [question = "", ...answer] = pair.split("\n")
    const words = toOneLine(answer.join(" "))
    if (words === "") return []
    return [decisionNote(`${question} ${words}`, "The user's answer", event, `${source}.${number + 1}`)]
  })
}

/** "Yes" means nothing without the question. */
const shortAnswer = 40

/** Not a question or another request. */
function answers(words: string, question: string): boolean {
  if (/[?？]\s*$|\[…\]/.test(words) || asking.test(words)) return false
  if (agreeing.test(words)) return true
  const asked = contentWords(question)
  return [...contentWords(words)].filter((word) => asked.has(word)).length >= 2
}

const asking = /^(?:can|could|would|what|how|why|where|when|who|is|are|does|do|did|should|wait|hmm)\b/i
const agreeing =
  /^(?:yes|yeah|yep|yup|y|no|nope|ok(?:ay)?|sure|please|go ahead|do it|option|both|neither|the (?:first|second|third|last)|\d{1,2}|[a-e]|ja|nein|oui|non|s[ií]|sim|não|好|是|不|はい|いいえ)(?=[\s,.!;:)]|$)/i

function questionIn(text: string): string | undefined {
  const sentences = text.slice(-600).split(/(?<=[.!?。？])\s+|\n+/)
  const question = sentences.findLast((sentence) => /[?？][\s*_)"'”`]{0,8}$/.test(sentence))
  return question === undefined ? undefined : toOneLine(question.replace(/\*\*/g, "")).trim()
}

function decisionNote(words: string, reasoning: string, event: EpisodeEvent, source: string): ObservedEntry {
  return {
    source,
    timestamp: event.ts,
    fields: {
      type: "implementation",
      description: truncate(scrubText(words), 300),
      reasoning: truncate(scrubText(reasoning), 300),
    },
  }
}

/** Nothing is left of a message that was pasted. */
function isPasted(words = ""): boolean {
  return words.replace(/\[…\]/g, "").trim().length < 20
}

function contextOf(
  events: readonly EpisodeEvent[],
  texts: ReadonlyMap<number, string>,
  plan: PlanItem[] | undefined,
  tries: readonly Try[],
): Record<string, unknown> {
  const requests = events.flatMap((event) =>
    event.role === "user" && event.kind === "message" && event.incident === undefined && !event.id.endsWith(":answer")
      ? [isPasted(event.words) ? event.summary : (event.words ?? event.summary)]
      : [],
  )
  const request = requests.findLast((text) => text.length > shortAnswer) ?? requests[0] ?? ""
  const step = plan?.findIndex(({ status }) => status === "in_progress") ?? -1
  const next = plan?.filter(({ status }) => status !== "complete").map(({ step: text }) => scrubText(text)) ?? []
  const edited = [...new Set(tries.flatMap(({ files }) => files).reverse())].slice(0, mostFiles)
  const open = new Set(tries.flatMap(({ result, files }) => (result === "success" ? [] : files)))
  const judged = new Set(tries.flatMap(({ result, files }) => (result === "success" ? files : [])))
  const last = events.findLastIndex(({ kind, role }) => kind === "message" && (role === "assistant" || role === "user"))
  const isAsking = events[last]?.role === "assistant" && events[last]?.asks === true
  const question = isAsking ? questionIn(texts.get(last) ?? "") : undefined
  return {
    ...(step >= 0 ? { currentPlanStep: step + 1, planStepStatus: "in_progress" } : {}),
    filesInScope: edited.map((path) => ({
      path,
      status: open.has(path) && !judged.has(path) ? "in_progress" : "complete",
    })),
    ...(requests.length === 0 ? {} : { taskContext: { request: truncate(scrubText(toOneLine(request)), 300) } }),
    nextSteps: next.slice(0, mostSteps),
    openQuestions: question === undefined ? [] : [truncate(scrubText(question), 300)],
  }
}
