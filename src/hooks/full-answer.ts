import type { HookAnswer, HookEvent } from "../clients/hook-event.ts"
import type { Drey } from "../drey.ts"
import { quoteInline, truncate } from "../formats/text.ts"
import type { CompiledGuard } from "../recall/guards/guard-match.ts"
import { takeAgentRecord } from "./acting-agent.ts"
import { type AnswerParts, type HookParts, openFor } from "./fast-answer.ts"
import { buildHookContext, isTrivialPrompt, mostCharacters, noteListed, pathsAt, showHandOver } from "./hook-context.ts"
import { isCompacted, openSeenItems } from "./seen-items.ts"
import { memberOf, takeDelegation } from "./subagents.ts"

type Event<Kind> = Extract<HookEvent, { kind: Kind }>

/** Updated first; or, for a large team folder, as another process left it, or missing. */
export type AskedIndex = "current" | "as it is" | "missing"

/** The slow path: answers with the whole of Drey. */
export async function answerFully(
  event: HookEvent,
  parts: AnswerParts,
  index: AskedIndex,
): Promise<HookAnswer | undefined> {
  return withDrey(parts, index, async (drey) => {
    if (event.kind === "prompt") return answerPrompt(drey, event, parts, index)
    if (event.kind === "before-compaction") return summaryNotes(drey, event)
    if (index === "missing") return undefined
    if (event.kind === "session-start") return startSession(drey, event, parts)
    if (event.kind === "subagent-start") return startSubagent(drey, event, parts)
    if (event.kind === "after-failure") return advise(drey, event, parts)
    return undefined
  })
}

export async function warnAboutToolCall(
  { call, client, session }: Event<"before-tool">,
  guards: readonly CompiledGuard[],
  parts: HookParts,
  index: AskedIndex,
): Promise<{ text: string; guards: CompiledGuard[] } | undefined> {
  return withDrey(parts, index, (drey) => drey.context.forToolCall(guards, call, { client, session }))
}

async function withDrey<Value>(
  parts: HookParts,
  index: AskedIndex,
  act: (drey: Drey) => Promise<Value>,
): Promise<Value> {
  const drey = openFor(parts, { asIs: index !== "current" })
  try {
    return await act(index === "current" ? drey : withoutLargeWork(drey, parts))
  } finally {
    await drey.close()
  }
}

/** Leaves slow work on a large team folder to other processes. */
function withoutLargeWork(drey: Drey, parts: HookParts): Drey {
  const place = { ...parts, root: parts.team.root }
  return {
    ...drey,
    context: { ...drey.context, compileGuards: async () => {} }, // done by `prepareAnswers`
    team: {
      ...drey.team,
      captureRules: async (message) =>
        (await import("./prepared-answers.ts")).captureInBackground(message, place, parts.limits.waitMs),
    },
  }
}

/** Most of it is already in the transcript. */
const resumedBudget = 300

async function startSession(drey: Drey, event: Event<"session-start">, parts: AnswerParts) {
  const { source, client } = event
  const { told, recall } = parts
  const isResumed = source === "resume"
  if (source === "clear" || source === "compact") told.forget()
  await drey.context.compileGuards()
  const news = await messageForUser(drey)
  if (!parts.hears) return asContext([], news)
  told.add(await drey.clients.readFromContextFiles(client)) // AGENTS.md contains these already
  const before = source === "clear" ? "" : await handOver(drey, source, event)
  const room = recall.sessionBudget - Math.ceil(before.length / 4) // one budget covers all of it
  const budget = Math.max(0, isResumed ? Math.min(resumedBudget, room) : room)
  const pack = await sessionPack(drey, { ...event, budget, room: mostCharacters - before.length }, parts)
  if (isResumed && pack.isEmpty) return asContext([before], news) // a resumed session already knows its open items
  return asContext([before, pack.text], [news ?? [], pack.toUser ?? []].flat().join("\n") || undefined)
}

async function sessionPack(
  drey: Drey,
  { client, session, agent, cwd, budget, room }: HookEvent & { budget: number; room: number },
  { told, team, recall, showsUser }: AnswerParts,
) {
  const paths = pathsAt(cwd, team.root)
  const request = { client, session, agent, paths, budget, maxCharacters: room, told: told.all() }
  const { text, tokens, included, listed } = await drey.context.atStart(request)
  told.add(included)
  noteListed(told, listed)
  const count = included.length + listed.length
  const toUser = recall.show && showsUser && count > 0 ? showHandOver(count, tokens) : undefined
  return { text, toUser, isEmpty: included.length === 0 }
}

/** A sub-agent knows nothing of its parent's conversation: it gets context for its own task, and its own history. */
async function startSubagent(drey: Drey, event: Event<"subagent-start">, parts: AnswerParts) {
  const { home, team, recall } = parts
  const delegation = takeDelegation(openSeenItems(home, event.session), event.agent)
  const agent = memberOf(team.folder, event.agent, delegation)
  const before = await handOver(drey, "subagent", event)
  const budget = Math.max(0, recall.sessionBudget - Math.ceil(before.length / 4)) // one budget covers all of it
  const room = mostCharacters - before.length
  if (delegation) {
    const own = { ...parts, recall: { ...recall, promptBudget: budget } }
    const asked = await buildHookContext(drey, { ...event, kind: "prompt", agent, text: delegation.task }, own, room)
    return asContext([before, asked?.text ?? ""], asked?.toUser)
  }
  const { text, toUser } = await sessionPack(drey, { ...event, agent, budget, room }, parts)
  return asContext([before, text], toUser)
}

/** Where this conversation stands, and what other sessions left unfinished. */
async function handOver(
  drey: Drey,
  occasion: "startup" | "resume" | "compact" | "subagent",
  event: HookEvent,
): Promise<string> {
  const { client, session, transcript } = event
  return drey.context.handOver(occasion, { client, session, path: transcript })
}

async function summaryNotes(drey: Drey, event: Event<"before-compaction">) {
  const text = await handOver(drey, "compact", event)
  return text === "" ? undefined : asContext([`Keep what follows in the summary.\n${text}`])
}

const mostTitles = 3
const longestName = 60

/** One-time notices: the rules here are not trusted yet, who changed which, and how many proposals wait. */
async function messageForUser(drey: Drey): Promise<string | undefined> {
  if (await drey.team.isTrustHintDue())
    return "This repository's team memory is not trusted yet: its rules do not apply. Run `drey trust` to trust it."
  const lines = [describeChanges(await drey.team.changedRules()), describeWaiting(await drey.team.upkeep.unshown())]
  return lines.flatMap((line) => line ?? []).join("\n") || undefined
}

function describeWaiting(count: number): string | undefined {
  if (count === 0) return undefined
  return `${count} ${count === 1 ? "proposal" : "proposals"} to review: drey ui`
}

function describeChanges(changed: Awaited<ReturnType<Drey["team"]["changedRules"]>>): string | undefined {
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
  return `Since your last session, ${authors} added or changed ${rules}: ${[...titles, ...rest].join("; ")}`
}

async function answerPrompt(drey: Drey, event: Event<"prompt">, parts: AnswerParts, index: AskedIndex) {
  const { told, hears, environment } = parts
  const captures =
    !isByAgent(event, environment) && (await drey.team.statesRule(event.text))
      ? await drey.team.captureRules(event.text)
      : []
  await drey.context.compileGuards()
  const toUser = captures.flatMap(showCapture).join("\n") || undefined
  if (!hears) return asContext([], toUser)
  told.add(captures.flatMap((capture) => ("id" in capture ? capture.id : [])))
  const notes = captures.flatMap(reportCapture)
  const note = notes.length === 0 ? "" : `<drey-context>\n${notes.join("\n")}\n</drey-context>`
  const task = captures.reduce((text, { words }) => text.replace(words, ""), event.text) // the prompt without its rules
  const isSilent = index === "missing" || isTrivialPrompt(task)
  // Some clients start no session after a compaction: with them, the prompt gets the session context.
  const isStart = !isSilent && isCompacted(told)
  const start = isStart
    ? await startSession(drey, { ...event, kind: "session-start", source: "compact" }, parts)
    : undefined
  const room = mostCharacters - note.length - (start?.text.length ?? 0)
  const context = isSilent || start ? undefined : await buildHookContext(drey, { ...event, text: task }, parts, room)
  const lines = [toUser, start?.toUser, context?.toUser].flatMap((line) => line ?? [])
  return asContext([start?.text ?? "", note, context?.text ?? ""], lines.join("\n") || undefined)
}

/** An agent can run this hook itself with its own text; the hook before that call has recorded it. */
function isByAgent({ client }: Event<"prompt">, environment: NodeJS.ProcessEnv): boolean {
  return takeAgentRecord(environment, ["hook", client]) !== undefined
}

/** Shows the user which rule was saved in their name, and how to undo it. */
function showCapture(capture: RuleCapture): string[] {
  const words = quoteInline(capture.words)
  if (capture.kind === "captured") return [`Saved as a team rule: "${words}" Undo: drey undo`]
  return capture.kind === "proposed" ? [`Proposed as a team rule, not active yet: "${words}" Review: drey inbox`] : []
}

type RuleCapture = Awaited<ReturnType<Drey["team"]["captureRules"]>>[number]

/** Refused text is never repeated. */
function reportCapture(capture: RuleCapture): string[] {
  switch (capture.kind) {
    case "captured":
      return [`Saved as a team rule: ${quoteInline(capture.words)} Tell the user that "drey undo" reverts it.`]
    case "proposed":
      return [
        `Proposed as a team rule, not active until the user accepts it in the inbox: ${quoteInline(capture.words)}`,
      ]
    case "known":
      return [`Already a team rule: ${quoteInline(capture.words)}`]
    case "refused":
      return [`Rule not saved: the prompt contains forbidden content (${capture.reason}).`]
    default:
      return []
  }
}

async function advise(drey: Drey, { error, call, client, session }: Event<"after-failure">, { told }: AnswerParts) {
  const mark = "advised of "
  const advised = told.all().flatMap((key) => (key.startsWith(mark) ? key.slice(mark.length) : []))
  const advice = await drey.context.forError(error, call, { client, session, advised })
  if (!advice) return undefined
  told.add(advice.included.map((id) => `${mark}${id}`))
  return asContext([advice.text])
}

function asContext(texts: readonly string[], toUser?: string): Extract<HookAnswer, { kind: "context" }> | undefined {
  const text = texts.filter((each) => each !== "").join("\n\n")
  return text === "" && toUser === undefined ? undefined : { kind: "context", text, toUser }
}
