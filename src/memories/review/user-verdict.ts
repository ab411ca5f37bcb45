import { plainPrograms, programOf, programs, splitCommand, unwrapCommands } from "../../formats/shell-command.ts"
import type { EpisodeEvent } from "../episode.ts"

/** What a memory advises for and against, by the names of tools, commands and things in it. */
export type Advice = { wanted: string[]; unwanted: string[]; isProhibition: boolean; words: Set<string> }

export function adviceOf(text: string): Advice {
  const wanted = new Set<string>()
  const unwanted = new Set<string>()
  for (const { words, isNegated } of clausesOf(text))
    for (const name of namesIn(words)) (isNegated ? unwanted : wanted).add(name)
  for (const name of wanted) if (isFailing(text, name)) unwanted.add(name)
  for (const name of unwanted) wanted.delete(name)
  for (const [, check = ""] of text.matchAll(reports))
    for (const names of [wanted, unwanted]) names.delete(check.toLowerCase())
  const isProhibition = wanted.size === 0 && negation.test(text)
  return { wanted: [...wanted], unwanted: [...unwanted], isProhibition, words: significantWords(text) }
}

/** What a check says about code is not an advice to run it: that it passes or fails later proves nothing. */
const reports = /`([^`]+)` (?:enforces the rule|rejects code|works in the root)/g

/** "`x` fails …; `y` works": x is not wanted. */
function isFailing(text: string, name: string): boolean {
  const [before = "", after = ""] = text.split(/; (?=`)/)
  return (
    /\bfails?\b|does not (?:exist|work)/.test(before) &&
    after !== "" &&
    namesIn(before).includes(name) &&
    !namesIn(after).includes(name)
  )
}

type Clause = { words: string; isNegated: boolean }

/** The parts of a text; each forbids, or wants, what it names: "use pnpm, never npm", "pnpm instead of npm". */
function clausesOf(text: string): Clause[] {
  const parts = text.split(
    /[,;.!?。！？]\s|(?=\b(?:instead of|rather than|never|not|no longer|don't|do not|avoid|without|stop|nicht|kein\w*|niemals|statt|jamais|pas|au lieu|nunca|en vez)\b)|\b(?:but|but only|and)\b/i,
  )
  return parts.map((words) => ({ words, isNegated: negation.test(words) }))
}

const negation =
  /\b(?:instead of|rather than|never|not|no|no longer|nor|don'?t|do not|doesn'?t|shouldn'?t|mustn'?t|avoid|without|stop|quit|nicht|nie|kein\w*|niemals|statt|jamais|pas|plus de|au lieu|nunca|não|en vez)\b|不要|不用|别|ない|禁止/iu

/** Programs, code, and what "use" is said of. */
function namesIn(text: string): string[] {
  const code = Array.from(text.matchAll(/`([^`]+)`/g), ([, span = ""]) => span.trim())
  const named = code.flatMap((span) => {
    const program = programOf(splitCommand(span)[0]?.words ?? [])
    return programs.has(program) && span.includes(" ")
      ? [span.toLowerCase()]
      : [span.toLowerCase().replace(/\(\)$/, "")]
  })
  const plain = text.replace(/`[^`]+`/g, " ")
  const words = plain.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_.@/-]*[\p{L}\p{N}]/gu) ?? []
  const objects = Array.from(
    plain.matchAll(
      /\b(?:use[sd]?|using|prefer|run|nutzen|verwende\w*|utilise[rz]?|usa\w*)\s+(?:the\s+)?([\p{L}\p{N}][\p{L}\p{N}_.-]+)/giu,
    ),
    ([, word = ""]) => word.toLowerCase(),
  )
  return [
    ...new Set([
      ...named,
      ...words.filter((word) => plainPrograms.has(word)),
      ...objects.filter((word) => !common.has(word)),
    ]),
  ]
}

const common = new Set(
  "the this that it them one only any for our your their its with and all more less tests test code real small".split(
    " ",
  ),
)

/** How the user's message relates to what a memory says. */
export type UserVerdict = "contradicts" | "repeats"

/** Undefined when the message is about something else, or no verdict. */
export function userVerdict(
  { wanted, unwanted, isProhibition, words }: Advice,
  event: EpisodeEvent,
): UserVerdict | undefined {
  if (event.role !== "user" || event.kind !== "message" || event.incident !== undefined) return undefined
  const isUpset = event.opener === "correction" || (event.frustration ?? "none") !== "none"
  const said = [event.summary, event.raw_snippet ?? ""].join("\n")
  const sentences = said.split(/(?<=[.!?。！？])\s+|\n/).filter((sentence) => sentence.trim() !== "")
  const isBlamed = (name: string) => sentences.some((sentence) => blames(sentence, name, isUpset))
  const isEndorsed = (name: string) =>
    sentences.some((sentence) => holds(sentence, name) && !blames(sentence, name, isUpset))
  if (wanted.some(isBlamed) && !wanted.some(isEndorsed)) return "contradicts"
  if (unwanted.some(isBlamed) || wanted.some(isEndorsed)) return isUpset ? "repeats" : undefined
  if (!isUpset && event.statement === undefined) return undefined
  const about = sentences.filter((sentence) => isAbout(sentence, words))
  if (about.length === 0) return undefined
  if (isProhibition)
    return about.some((sentence) => allows.test(sentence)) ? "contradicts" : isUpset ? "repeats" : undefined
  return about.some((sentence) => forbids.test(sentence) && !missed.test(sentence))
    ? "contradicts"
    : isUpset
      ? "repeats"
      : undefined
}

function holds(sentence: string, name: string): boolean {
  return new RegExp(`(?<![\\p{L}\\p{N}_-])${escaped(name)}(?![\\p{L}\\p{N}_])`, "iu").test(sentence)
}

/** "Why did you use yarn?", "not yarn again", "yarn is wrong", "kein yarn"; not "why not yarn?" or "use yarn, not npm". */
function blames(sentence: string, name: string, isUpset: boolean): boolean {
  if (!holds(sentence, name)) return false
  const at = `(?<![\\p{L}\\p{N}_-])${escaped(name)}(?![\\p{L}\\p{N}_])`
  if (new RegExp(`\\bwhy (?:not|didn'?t|don'?t|aren'?t|haven'?t|did you not)\\b[^.?!]{0,40}${at}`, "iu").test(sentence))
    return false
  const before = `(?:${refusing})[^,.;?!]{0,30}?${at}`
  const after = `${at}[^,.;?!]{0,30}(?:\\bagain\\b|\\bis (?:wrong|gone|dead|deprecated|not)|\\bbreaks?\\b|\\bbroke\\b|\\bfails?\\b|\\bdoes ?n[o']t\\b|\\bisn'?t\\b|ist falsch|est faux|est[áa] mal)`
  if (new RegExp(`${before}|${after}`, "iu").test(sentence)) return true
  return (
    isUpset &&
    new RegExp(
      `\\b(?:why (?:did|do|are|would|have|on earth|the hell)|who told you|warum|wieso|pourquoi|por qu[eé])\\b[^.?!]{0,40}${at}`,
      "iu",
    ).test(sentence)
  )
}

const refusing =
  "\\bnot\\b|\\bno\\b(?!,)|\\bnever\\b|don'?t\\b|\\bdo not\\b|\\bstop\\b|\\bquit\\b|\\bwithout\\b|instead of|rather than|no more|no longer|moved (?:away )?from|switched from|\\bnicht\\b|\\bkein\\w*|\\bstatt\\b|\\bnie\\b|\\bpas (?:de )?|\\bjamais\\b|\\bnunca\\b|\\bno uses\\b|不要用?|别用?"

/** Most of a memory's own words, at least two. */
function isAbout(sentence: string, words: ReadonlySet<string>): boolean {
  const shared = [...significantWords(sentence)].filter((word) => words.has(word)).length
  return shared >= 2 && shared * 2 >= Math.min(words.size, 5)
}

const forbids = /\b(?:stop|don'?t|do not|never|no more|no longer|not|nobody asked|unnecessary|undo|revert|remove)\b/i
/** The memory was not followed: "you didn't add a changelog entry". */
const missed =
  /\b(?:you|it)\s(?:didn'?t|did not|haven'?t|forgot|never)|\bdon'?t forget|\bforgot|\bmissing\b|\bstill (?:not|no)\b/i
const allows =
  /\b(?:fine|ok(?:ay)?|allowed|free) to\b|\bfrom now on you (?:may|can)\b|\byou (?:may|can|should)\b(?!n)|\bjust\b.*\b(?:do|push|commit|edit|run)\b|why (?:didn'?t|don'?t) you/i

function significantWords(text: string): Set<string> {
  const words = text.toLowerCase().match(/\p{L}{4,}/gu) ?? []
  return new Set(
    words.filter((word) => !dull.has(word)).map((word) => word.replace(/(?<=\p{L}{4})(?:ies|ing|ed|es|s|y|e)$/u, "")),
  )
}

const dull = new Set(
  "this that these those with from into when then than they them your have has been were will would should must always never only also just like what which while where there here after before because about project again please using uses used make made does done want wrong".split(
    " ",
  ),
)

function escaped(text: string): string {
  return text.replace(/[\\^$.*|?+()[\]{}/]/g, "\\$&")
}

/** What a run shows about advice: its command passed or failed by itself, or what it advises against was run. */
export type RunVerdict = "passed" | "failed" | "against"

export function runVerdict({ wanted, unwanted }: Advice, event: EpisodeEvent): RunVerdict | undefined {
  if (
    event.kind !== "tool_result" ||
    event.action !== "run" ||
    event.command === undefined ||
    event.incident !== undefined
  )
    return undefined
  const lines = [...splitCommand(event.command), ...unwrapCommands(event.command)].map(({ words }) => words)
  const runs = (name: string) => lines.some((words) => isRun(words, name))
  const hasFailed = event.is_error === true || event.test === "failed"
  if (!wanted.some(runs)) return unwanted.some(runs) ? "against" : undefined
  if (!hasFailed) return "passed"
  return event.test === undefined && !looksAtCode.test(event.head ?? event.command) ? "failed" : undefined
}

/** `yarn` is run by `yarn add x`, `npm run lint` by `npm run lint -- --fix`. */
function isRun(words: readonly string[], name: string): boolean {
  const wanted = name.split(/\s+/)
  const start = words.findIndex((word) => !/^\w+=/.test(word))
  const program = programOf(words.slice(start))
  if (!programs.has(wanted[0] ?? "") && !name.includes(" ") && !/^[\w.-]+$/.test(name)) return false
  return wanted.every((word, at) => (at === 0 ? program === word : words[start + at]?.toLowerCase() === word))
}

/** Their failures are about the code. */
const looksAtCode = /\b(?:test|tests|lint|check|typecheck|tsc|build|compile|vet|clippy|pytest|vitest|jest)\b/i
