import { takeAgentNote } from "../agent.ts"
import { type Drey, openDrey } from "../drey.ts"
import { hasRuleWords } from "../formats/has-rule-words.ts"
import { quoteInline } from "../formats/quote.ts"
import { truncate } from "../formats/truncate.ts"
import type { CompiledGuard } from "../recall/match-guards.ts"
import type { AnswerParts } from "./answer-event.ts"
import { contextFor, mostCharacters } from "./context-for.ts"
import type { HookAnswer, HookEvent } from "./hook-event.ts"
import { isAside } from "./is-aside.ts"

type Event<Kind> = Extract<HookEvent, { kind: Kind }>

/** Brought up to date first; or, of a large team folder, as another process left it, or not made yet. */
export type AskedIndex = "current" | "as it is" | "missing"

/** Answers with everything that Drey can do. */
export async function answerLongWay(
  event: HookEvent,
  parts: AnswerParts,
  index: AskedIndex,
): Promise<HookAnswer | undefined> {
  return withDrey(parts, index, async (drey) => {
    if (event.kind === "prompt") return answerPrompt(drey, event, parts, index)
    if (index === "missing") return undefined
    if (event.kind === "session-start") return startSession(drey, event, parts)
    if (event.kind === "after-failure") return advise(drey, event, parts)
    return undefined
  })
}

export async function warnTheLongWay(
  { call, client, session }: Event<"before-tool">,
  guards: readonly CompiledGuard[],
  parts: AnswerParts,
  index: AskedIndex,
): Promise<{ text: string; guards: CompiledGuard[] } | undefined> {
  return withDrey(parts, index, (drey) => drey.guardWarning(guards, call, { client, session }))
}

async function withDrey<Value>(
  parts: AnswerParts,
  index: AskedIndex,
  act: (drey: Drey) => Promise<Value>,
): Promise<Value> {
  const { team, environment, note } = parts
  const drey = openDrey({ root: team.root, environment, warn: note, asIs: index !== "current", automatic: true })
  try {
    return await act(index === "current" ? drey : withoutLargeWork(drey, parts))
  } finally {
    await drey.close()
  }
}

/** What takes a large team folder long is done by other processes. */
function withoutLargeWork(drey: Drey, parts: AnswerParts): Drey {
  const place = { ...parts, root: parts.team.root }
  return {
    ...drey,
    compileGuards: async () => {}, // by `prepareAnswers`
    captureRules: async (message) =>
      (await import("./preparation.ts")).captureInBackground(message, place, parts.limits.waitMs),
  }
}

const sessionBudget = 800
/** Most stands in the transcript already. */
const resumedBudget = 300

async function startSession(drey: Drey, { source, client, session }: Event<"session-start">, { told }: AnswerParts) {
  const isResumed = source === "resume"
  if (source === "clear" || source === "compact") told.forget()
  told.add(await (await drey.connections()).toldByContextFiles(client)) // AGENTS.md says these already
  await drey.compileGuards()
  const budget = isResumed ? resumedBudget : sessionBudget
  const { text, included } = await drey.sessionPack({ client, session, budget, told: told.all() })
  const toUser = await newsForUser(drey)
  if (isResumed && included.length === 0) return asContext([], toUser) // what was left open is not news to it
  told.add(included)
  return asContext([text], toUser)
}

const mostTitles = 3
const longestName = 60

/** What the user should know about the rules of this repository, once: that they do not apply yet, or who changed which. */
async function newsForUser(drey: Drey): Promise<string | undefined> {
  if (await drey.isTrustHintDue())
    return "This repository's team memory is not trusted yet: its rules do not apply. Run `drey trust` to trust it."
  const changed = await drey.changedRules()
  if (changed.length === 0) return undefined
  const short = (text: string) => truncate(quoteInline(text), longestName)
  const some = (names: readonly string[]) => {
    const more = names.length - mostTitles
    return [names.slice(0, mostTitles).join(", "), ...(more > 0 ? [`${more} more`] : [])].join(" and ")
  }
  const authors = some([...new Set(changed.map(({ author }) => short(author)))])
  const titles = changed.slice(0, mostTitles).map(({ title }) => short(title))
  const rest = changed.length > mostTitles ? [`and ${changed.length - mostTitles} more`] : []
  const rules = changed.length === 1 ? "1 rule" : `${changed.length} rules`
  return `${rules} changed by ${authors} since your last session: ${[...titles, ...rest].join("; ")}`
}

async function answerPrompt(
  drey: Drey,
  event: Event<"prompt">,
  { told, hears, environment }: AnswerParts,
  index: AskedIndex,
) {
  const captures = hasRuleWords(event.text) && !isByAgent(event, environment) ? await drey.captureRules(event.text) : []
  await drey.compileGuards()
  const toUser = captures.flatMap(showCapture).join("\n") || undefined
  if (!hears) return asContext([], toUser)
  told.add(captures.flatMap((capture) => ("id" in capture ? capture.id : [])))
  const notes = captures.flatMap(tellCapture)
  const note = notes.length === 0 ? "" : `<drey-context>\n${notes.join("\n")}\n</drey-context>`
  const task = captures.reduce((text, { words }) => text.replace(words, ""), event.text) // what is asked for beside the rules
  const room = mostCharacters - note.length
  const isSilent = index === "missing" || isAside(task)
  const context = isSilent ? undefined : await contextFor(drey, { ...event, text: task }, told, room)
  return asContext([note, context?.text ?? ""], toUser)
}

/** An agent can run this hook itself, with words of its own; the hook before that call has seen it. */
function isByAgent({ client }: Event<"prompt">, environment: NodeJS.ProcessEnv): boolean {
  return takeAgentNote(environment, ["hook", client]) !== undefined
}

/** The user sees what was made a rule in their name, and how to undo it. */
function showCapture(capture: RuleCapture): string[] {
  const words = quoteInline(capture.words)
  if (capture.kind === "captured") return [`Saved as a team rule: "${words}". To undo it, run: drey undo`]
  return capture.kind === "proposed"
    ? [`Proposed as a team rule, not active yet: "${words}". Review it with: drey ui`]
    : []
}

type RuleCapture = Awaited<ReturnType<Drey["captureRules"]>>[number]

/** A refusal is told without the words that it is about. */
function tellCapture(capture: RuleCapture): string[] {
  switch (capture.kind) {
    case "captured":
      return [`Noted as a rule for the team: ${quoteInline(capture.words)} Tell the user that "drey undo" reverts it.`]
    case "proposed":
      return [`Not a rule yet, proposed for the user to accept in the inbox: ${quoteInline(capture.words)}`]
    case "known":
      return [`A rule of the team already: ${quoteInline(capture.words)}`]
    case "refused":
      return [`A rule in this prompt was not noted: it holds what no memory may (${capture.reason}).`]
    default:
      return []
  }
}

async function advise(drey: Drey, { error, call, client, session }: Event<"after-failure">, { told }: AnswerParts) {
  const mark = "advised of "
  const advised = told.all().flatMap((key) => (key.startsWith(mark) ? key.slice(mark.length) : []))
  const advice = await drey.adviceFor(error, call, { client, session, advised })
  if (!advice) return undefined
  told.add(advice.included.map((id) => `${mark}${id}`))
  return asContext([advice.text])
}

function asContext(texts: readonly string[], toUser?: string): HookAnswer | undefined {
  const text = texts.filter((each) => each !== "").join("\n\n")
  return text === "" && toUser === undefined ? undefined : { kind: "context", text, toUser }
}
