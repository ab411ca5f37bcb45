import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { findHookClient } from "../clients/hook-clients.ts"
import type { HookAnswer, HookClient, HookEvent } from "../clients/hook-event.ts"
import { dreyHome } from "../config.ts"
import { appendToHome, enableCompileCache, makeHomeFolder, writeInHome } from "../disk/home-files.ts"
import type { ToolCall } from "../formats/client-events.ts"
import { bareWords, removeInvisible } from "../formats/text.ts"
import { openLog } from "../log.ts"
import type { CompiledGuard } from "../recall/guards/guard-match.ts"
import { recordAgentCommands } from "./acting-agent.ts"
import type { HookParts } from "./fast-answer.ts"
import { readInput } from "./hook-input.ts"
import type { ForeignHook } from "./resident-answers.ts"
import { isCompacted, openSeenItems } from "./seen-items.ts"
import { noteDelegation, threadOf } from "./subagents.ts"
import { type HookLimits, hookLimits } from "./team-size.ts"
import { findGuards, locateTeam } from "./tool-guards.ts"

export type HookCall = {
  client: string
  /** The client's name for the event. */
  event: string
  /** The client's input, once it has arrived. */
  readInput: () => Promise<unknown>
  environment: NodeJS.ProcessEnv
  /** This program, started again in the background where a client must not wait. */
  program: string
  /** How much it reads by itself at most. */
  limits?: HookLimits
  /** The search indexes of a process that answers several hooks. */
  kept?: HookParts["kept"]
  /** Has a prompt answered by another process, which is faster; undefined if none does. */
  ask?: ((hook: ForeignHook) => Promise<string | undefined>) | undefined
}

/** How long a client waits at most, in milliseconds; `DREY_HOOK_MS` replaces them all. */
const timeLimits: Record<HookEvent["kind"] | "input", number> = {
  input: 1000,
  "session-start": 4000,
  prompt: 4000,
  "subagent-start": 4000,
  "before-compaction": 4000,
  "before-tool": 1000,
  "after-tool": 1000,
  "after-failure": 2000,
  end: 1000,
}

/** Answers a client's hook on stdout and ends the process, always with success: clients treat anything else as a refusal. */
export async function answerHook(
  client: string,
  event: string,
  {
    print,
    ask,
    root,
  }: {
    print: (text: string, leave: () => void) => void
    ask?: HookCall["ask"]
    root?: string | undefined
  },
): Promise<void> {
  const leave = () => process.exit(0)
  process.on("uncaughtException", leave)
  // A client may show what a hook prints, and hides what its background processes print.
  if (process.env.DREY_LOG) process.env.DREY_LOG_FILE ??= join(dreyHome(process.env), "log", "drey.log")
  const environment = root === undefined ? process.env : { ...process.env, DREY_TEAM_ROOT: root }
  const program = process.argv[1] ?? ""
  const answer = await runHook({ client, event, readInput, environment, program, ask })
  print(answer === "" ? "" : `${answer}\n`, leave)
}

/**
 * The output of a client's hook, for stdout; "" for none. Errors never reach the client: there is no answer, and
 * `hook.log` has the reason.
 */
export async function runHook({
  client: name,
  event: eventName,
  readInput,
  environment,
  program,
  limits = hookLimits,
  kept,
  ask,
}: HookCall): Promise<string> {
  const home = dreyHome(environment)
  const note = (trouble: unknown) => logHookError(home, environment, `${name} ${eventName}`, trouble)
  const log = openLog("hook", environment)
  const within = <Value>(work: Promise<Value>, kind: keyof typeof timeLimits) =>
    withTimeout(work, Number(environment.DREY_HOOK_MS) || timeLimits[kind])
  try {
    const input = await within(readInput(), "input")
    if (input === "late") throw new Error("no input from the client")
    const speaker = findHookClient(name, eventName, input)
    if (!speaker) throw new Error("unknown client")
    const { client } = speaker
    const event = client.read(speaker.event, input)
    const team = event && locateTeam(environment.DREY_TEAM_ROOT ?? environment.SQUAD_TEAM_ROOT ?? event.cwd, home)
    log?.("event", { client: name, event: eventName, kind: event?.kind ?? "ignored", root: team?.root })
    if (!team) return ""
    const isAsked = event.kind === "prompt" && !environment.DREY_LOG && !environment.DREY_DEBUG // else its own steps are wanted
    const output = isAsked
      ? await ask?.({ client: name, event: eventName, input, environment, cwd: process.cwd() }).catch(note)
      : undefined
    if (output !== undefined) return output
    const hears = client.hears.includes(event.kind)
    const told = openSeenItems(home, threadOf(event))
    const { showsUser } = client
    const parts = { team, home, environment, program, told, hears, showsUser, limits, note, log, kept }
    const isStart = startsAtCall(event, client, parts)
    const answer = await within(answerTo(event, client, parts), isStart ? "session-start" : event.kind)
    log?.("answer", {
      outcome: answer === undefined ? "none" : answer === "late" ? "late" : answer.kind,
      characters: typeof answer === "object" ? answer.text.length : 0,
      sinceStart: `${performance.now().toFixed(1)}ms`,
    })
    if (answer === "late") await (await import("./fast-answer.ts")).catchUp(event, parts)
    if (!answer || answer === "late" || !(hears || client.showsUser)) return ""
    return client.answer(event, client.showsUser ? answer : withinContext(answer))
  } catch (error) {
    note(error)
    return ""
  }
}

async function answerTo(event: HookEvent, client: HookClient, parts: HookParts): Promise<HookAnswer | undefined> {
  if (event.kind === "before-tool") {
    noteCommand(event, parts)
    const start = startsAtCall(event, client, parts) ? await startAgain(event, parts) : undefined // it clears what was seen
    if (event.delegation) await noteDelegation(openSeenItems(parts.home, event.session), event.delegation)
    return parts.hears ? joinAnswers([start, await answerCall(event, client, parts)]) : undefined
  }
  if (event.kind === "after-tool") return parts.hears ? answerCall(event, client, parts) : undefined
  enableCompileCache(parts.home)
  const { answerEvent } = await import("./fast-answer.ts")
  if (event.kind !== "after-failure" || !client.hears.includes("after-tool")) return answerEvent(event, parts)
  return joinAnswers([await answerCall(event, client, parts), await answerEvent(event, parts)])
}

/** For clients whose prompt hook takes no text, the first tool call after a compaction brings the hand-over. */
function startsAtCall(event: HookEvent, { hears }: HookClient, { told }: HookParts): boolean {
  return event.kind === "before-tool" && hears.includes(event.kind) && !hears.includes("prompt") && isCompacted(told)
}

async function startAgain(event: HookEvent, parts: HookParts): Promise<HookAnswer | undefined> {
  const { answerEvent } = await import("./fast-answer.ts")
  return answerEvent({ ...event, kind: "session-start", source: "compact" }, parts)
}

/** A warning may make the client ask, so it wins; the other texts are added to it. */
function joinAnswers(answers: readonly (HookAnswer | undefined)[]): HookAnswer | undefined {
  const given = answers.flatMap((answer) => answer ?? [])
  const first = given.find(({ kind }) => kind === "warning") ?? given[0]
  return first && { ...first, text: given.map(({ text }) => text).join("\n\n") }
}

/** Lines for the user go to the agent where the client cannot show them. */
function withinContext(answer: HookAnswer): HookAnswer {
  if (answer.kind !== "context" || answer.toUser === undefined) return answer
  const line = `<drey-context>\n${answer.toUser}\n</drey-context>`
  return { kind: "context", text: answer.text === "" ? line : `${line}\n\n${answer.text}` }
}

/** A call is answered even if this cannot be written: the client's environment variable usually marks the same. */
function noteCommand({ client, call }: HookEvent & { kind: "before-tool" }, { home, note }: HookParts): void {
  try {
    if (call.command !== undefined) recordAgentCommands(home, client, call.command)
  } catch (error) {
    note(error)
  }
}

type Calling = Extract<HookEvent, { call: ToolCall }>

/** A call that no guard matches, in folders without their own rules (most calls), returns without loading anything. */
async function answerCall(event: Calling, client: HookClient, parts: HookParts): Promise<HookAnswer | undefined> {
  const { call, guards, folders } = findGuards(event.call, event.cwd, parts.team, parts.home)
  parts.log?.("path", { path: "guards", guards: guards.length, folders: folders.length })
  // Where the agent is warned only with the result, a warning before the call is for the user.
  const isForAgent = event.kind !== "before-tool" || !client.hears.includes("after-tool")
  return joinAnswers([
    await warnOf({ ...event, call }, guards, parts),
    isForAgent ? await enterFolders({ ...event, call }, folders, parts) : undefined,
  ])
}

/**
 * The guards that match a call: once per session before it, and once after it where the agent could not be warned
 * before.
 */
async function warnOf(
  event: Calling,
  guards: readonly CompiledGuard[],
  parts: HookParts,
): Promise<HookAnswer | undefined> {
  const isBefore = event.kind === "before-tool"
  const keyOf = ({ text }: CompiledGuard) => `${isBefore ? "warned" : "warned afterwards"}: ${bareWords(text)}`
  const untold = guards.filter((guard) => (isBefore && guard.ask) || !parts.told.has(keyOf(guard)))
  if (untold.length === 0) return undefined
  const { warn } = await import("./fast-answer.ts")
  const warning = await warn({ ...event, kind: "before-tool" }, untold, parts)
  if (!warning) return undefined
  parts.told.add(warning.guards.map(keyOf))
  return { kind: "warning", text: warning.text, ask: untold.some(({ ask }) => ask) }
}

/** Rules that apply only in the folders of this call, once per session. */
async function enterFolders(
  event: Calling,
  folders: readonly string[],
  parts: HookParts,
): Promise<HookAnswer | undefined> {
  const keyOf = (folder: string) => `in folder ${folder}`
  const entered = folders.filter((folder) => !parts.told.has(keyOf(folder)))
  if (entered.length === 0) return undefined
  const context = await (await import("./fast-answer.ts")).contextInFolders(event, entered, parts)
  if (context) parts.told.add(entered.map(keyOf)) // otherwise the index may be outdated: the next call tries again
  return context
}

function withTimeout<Value>(work: Promise<Value>, ms: number): Promise<Value | "late"> {
  return new Promise((settle, reject) => {
    const timer = setTimeout(() => settle("late"), ms)
    work.then(settle, reject).finally(() => clearTimeout(timer))
  })
}

const mostBytes = 256 * 1024

/** Logs an error to `hook.log`, since a hook prints none; drops the older half when the file is too long. */
export function logHookError(home: string, environment: NodeJS.ProcessEnv, where: string, trouble: unknown): void {
  const line = `${new Date().toISOString()} ${where}: ${describe(trouble)}\n`
  if (environment.DREY_DEBUG === "1") process.stderr.write(line)
  try {
    const path = join(home, "hook.log")
    makeHomeFolder(home)
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) + line.length > mostBytes) keepNewerHalf(path)
    appendToHome(path, line)
  } catch {
    // If the log cannot be written, nothing is logged: the client must not fail because of it.
  }
}

function describe(trouble: unknown): string {
  const text = trouble instanceof Error ? trouble.message : String(trouble)
  return removeInvisible(text.replace(/\s+/g, " ")).slice(0, 1000)
}

function keepNewerHalf(path: string): void {
  const text = readFileSync(path, "utf8").slice(-mostBytes / 2)
  writeInHome(path, text.slice(text.indexOf("\n") + 1))
}
