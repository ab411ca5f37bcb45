import type { HookAnswer, HookEvent } from "../clients/hook-event.ts"
import { type RecallSettings, readConfig } from "../config.ts"
import { type Drey, openDrey, openDreyWith } from "../drey.ts"
import type { ToolCall } from "../formats/client-events.ts"
import type { LogStep } from "../log.ts"
import type { CompiledGuard } from "../recall/guards/guard-match.ts"
import { type KeptIndexes, keptIndexes } from "../recall/sync/kept-indexes.ts"
import { trustIfConnected } from "../trust.ts"
import { syncInBackground } from "./background-process.ts"
import { buildHookContext, isTrivialPrompt, mostCharacters, noteHandedOver } from "./hook-context.ts"
import { isCompacted, noteCompaction, type SeenItems } from "./seen-items.ts"
import { type HookLimits, sizeOfTeam, type TeamSize } from "./team-size.ts"
import type { LocatedTeam } from "./tool-guards.ts"

/** What an answer is made with. */
export type AnswerParts = HookParts & { recall: RecallSettings }

export type HookParts = {
  team: LocatedTeam
  home: string
  environment: NodeJS.ProcessEnv
  program: string
  told: SeenItems
  /** Whether the client accepts text for the agent at this event. */
  hears: boolean
  /** Whether the client can show its user a line beside it. */
  showsUser: boolean
  /** How much a hook reads by itself at most. */
  limits: HookLimits
  note: (trouble: unknown) => void
  /** Set while `DREY_LOG` names hooks. */
  log?: LogStep | undefined
  /** The search indexes of a process that answers several hooks. */
  kept?: KeptIndexes | undefined
}

/**
 * Answers everything but tool calls. Prompts, the most frequent event, use the current index; the rest take the slow
 * path.
 */
export async function answerEvent(event: HookEvent, given: HookParts): Promise<HookAnswer | undefined> {
  const { recall } = readConfig(given.team.folder, given.environment)
  const parts = { ...given, recall, hears: given.hears && isInjected(event, recall.inject) }
  if (event.kind === "end") {
    const { kind } = await trustIfConnected(parts.home, parts.team)
    if (kind !== "trusted") return undefined // nothing is learned or maintained there
    await runInBackground(event.of === "turn" ? ["ingest"] : ["flush"], parts)
    if (event.of === "session") await runInBackground(["tidy", "--background"], parts)
    syncInBackground({ ...parts, root: parts.team.root })
    return undefined
  }
  if (event.kind === "before-compaction") noteCompaction(parts.told)
  if (event.kind === "prompt" && isTrivialPrompt(event.text)) return undefined
  return withOpen(parts, { asIs: false }, (drey) => answerWith(drey, event, parts, given.hears))
}

async function answerWith(
  drey: Drey,
  event: Exclude<HookEvent, { kind: "end" }>,
  parts: AnswerParts,
  hearsAtAll: boolean,
): Promise<HookAnswer | undefined> {
  const isQuestion = event.kind === "prompt" && !(await drey.team.statesRule(event.text))
  const isHeard = event.kind === "session-start" ? hearsAtAll : parts.hears // guards are compiled at every start
  if (!isHeard && (isQuestion || event.kind !== "prompt")) return undefined
  const size = sizeOfTeam(parts.team, parts.limits)
  if (isQuestion && size !== "crowded" && !isCompacted(parts.told) && (await drey.context.isReady())) {
    parts.log?.("path", { path: "fast", team: size })
    return buildHookContext(drey, event, parts)
  }
  parts.log?.("path", { path: size === "small" ? "full" : "large team", team: size })
  if (size === "small") return (await import("./full-answer.ts")).answerFully(event, parts, "current")
  return answerForLargeTeam(event, parts, size)
}

/**
 * Answers where the team folder is too large for a hook to read. Another process builds the index; the first hook that
 * needs it waits briefly, and all hooks answer from the index as it is then, which may be older than the files.
 */
async function answerForLargeTeam(
  event: HookEvent,
  parts: AnswerParts,
  size: Exclude<TeamSize, "small">,
): Promise<HookAnswer | undefined> {
  const { team, note } = parts
  const quiet = { ...parts, note: () => {} }
  const isReady = (asIs: boolean) => withOpen(quiet, { asIs }, (drey) => drey.context.isReady())
  const isCurrent = size === "large" && (await isReady(false))
  const isBehind = size === "large" ? !isCurrent : !(await isReady(true))
  const waitMs = event.kind !== "after-failure" ? parts.limits.waitMs : 0
  const place = { ...parts, root: team.root }
  const isPrepared = await (await import("./prepared-answers.ts")).prepareInBackground(
    place,
    isBehind ? "behind" : "unknown",
    waitMs,
  )
  return withOpen(quiet, { asIs: true }, async (drey) => {
    const hasIndex = await drey.context.isReady()
    if (!isCurrent && !isPrepared)
      note(
        `the team folder is large: ${hasIndex ? "answered from an index that may be out of date" : "its index is still being built"}`,
      )
    if (event.kind === "prompt" && !isCompacted(parts.told) && !(await drey.team.statesRule(event.text)))
      return hasIndex ? buildHookContext(drey, event, parts) : undefined
    const { answerFully } = await import("./full-answer.ts")
    return answerFully(event, parts, hasIndex ? "as it is" : "missing")
  })
}

/** A process that answers several hooks closes what each of them opened; one of a hook's own ends with it. */
function withOpen<Value>(
  parts: HookParts,
  options: { asIs: boolean },
  act: (drey: Drey) => Promise<Value>,
): Promise<Value> {
  const drey = openFor(parts, options)
  return parts.kept ? act(drey).finally(drey.close) : act(drey)
}

/** With `asIs` it answers from the search index as it is, which may be older than the files. */
export function openFor({ team, environment, note, kept }: HookParts, { asIs }: { asIs: boolean }): Drey {
  return openDreyWith({ root: team.root, environment, warn: note, asIs, automatic: true }, kept)
}

/** Whether a prompt only asks something. What it says of rules is saved with the user's authority. */
export async function isQuestion(
  { cwd, text }: HookEvent & { kind: "prompt" },
  environment: NodeJS.ProcessEnv,
): Promise<boolean> {
  return !(await openDrey({ root: cwd, environment, automatic: true, warn: () => {} }).team.statesRule(text))
}

/** Search indexes that stay open, for a process that answers several hooks. */
export function keepOpen(): KeptIndexes {
  return keptIndexes()
}

/** The user's setting; a project can only lower it. */
function isInjected({ kind }: HookEvent, inject: RecallSettings["inject"]): boolean {
  return kind === "prompt" ? inject === "prompt" : inject !== "off"
}

/** Warns about a call, with the guards that match it. */
export async function warn(
  event: HookEvent & { kind: "before-tool" },
  guards: readonly CompiledGuard[],
  parts: HookParts,
): Promise<{ text: string; guards: CompiledGuard[] } | undefined> {
  const isSmall = sizeOfTeam(parts.team, parts.limits) === "small"
  return (await import("./full-answer.ts")).warnAboutToolCall(event, guards, parts, isSmall ? "current" : "as it is")
}

/**
 * Context that applies only in these folders. The client does not wait long, so an outdated index is not updated here.
 */
export async function contextInFolders(
  { call, client, session, agent }: Extract<HookEvent, { call: ToolCall }>,
  folders: readonly string[],
  given: HookParts,
): Promise<HookAnswer | undefined> {
  const { team, environment, told } = given
  const { recall } = readConfig(team.folder, environment)
  if (recall.inject !== "prompt") return undefined
  const drey = openFor(given, { asIs: true })
  if (!(await drey.context.isReady())) return undefined
  const { context } = await drey.context.build({
    agent,
    client,
    session,
    task: [call.command, ...call.paths].join(" ").slice(0, 400),
    paths: folders,
    budget: recall.promptBudget,
    maxCharacters: mostCharacters,
    told: told.all(),
    onlyInFolder: true,
  })
  if (context.text === "") return undefined
  noteHandedOver(told, context.included)
  return { kind: "context", text: context.text }
}

/** The answer came too late: its slow preparation is finished in the background, for the next event. */
export async function catchUp(event: HookEvent, parts: HookParts): Promise<void> {
  parts.note("the answer took too long")
  if (event.kind === "session-start" || event.kind === "prompt" || event.kind === "subagent-start")
    await runInBackground(["hook", "--prepare"], parts)
}

/** Loaded on demand: Node's process functions take time to load. */
async function runInBackground(args: readonly string[], parts: HookParts): Promise<void> {
  const { startInBackground } = await import("./background-process.ts")
  startInBackground(args, { ...parts, root: parts.team.root })
}
