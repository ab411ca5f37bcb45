import { DreyError } from "../errors.ts"
import type { Attempt, AttemptResult } from "../formats/session/agent-memory.ts"
import type { MachineState } from "../formats/session/sibling-schemas.ts"
import type { YamlEdit } from "../formats/session/yaml-tree.ts"
import { errorOf } from "./agent-entries.ts"
import { newFileText } from "./session-files.ts"
import type { SessionParts } from "./session-parts.ts"

/** The initial state of a session. */
export function newState(
  sessionId: string,
  { task, startedAt, agent, provider, maxIterations = 50 }: NewState,
): string {
  return newFileText("session-context", sessionId, {
    state: "idle",
    task,
    startedAt,
    currentAgent: agent,
    iterationCount: 0,
    maxIterations,
    consecutiveFailures: 0,
    totalFailures: 0,
    maxFailures: 3,
    provider,
  })
}

type NewState = {
  task: string
  startedAt: string
  agent: string | undefined
  provider?: string | undefined
  maxIterations?: number | undefined
}

/**
 * Sets fields of the machine state, and records a state transition in its history; undefined leaves a field unchanged.
 */
export function changeState(
  { files, now }: SessionParts,
  change: (state: MachineState) => Partial<MachineState>,
): MachineState {
  const path = files.pathOf("context")
  const changed = files.change(
    "context",
    path,
    ({ data }) => {
      const changes = Object.entries(change(data)).filter(([key, value]) => value !== undefined && value !== data[key])
      for (const [key] of changes)
        if (["version", "schema", "sessionId"].includes(key)) throw new DreyError(`${key} of ${path} cannot be changed`)
      const edits = changes.map(([key, value]): YamlEdit => ({ op: "set", path: [key], value }))
      return [...edits, ...historyEdits(data, Object.fromEntries(changes), now())]
    },
    () => {
      const metadata = files.readValid("metadata", files.pathOf("metadata"))?.data
      const { task = "", createdAt: startedAt = now().toISOString(), agents } = metadata ?? {}
      return newState(files.id, { task, startedAt, agent: agents?.[0] })
    },
  )
  return changed.data
}

const longestHistory = 100

/** The oldest transitions are dropped. */
function historyEdits(old: MachineState, changes: Partial<MachineState>, now: Date): YamlEdit[] {
  if (changes.state === undefined || changes.history !== undefined) return []
  const agent = changes.currentAgent ?? old.currentAgent ?? undefined
  const value = { timestamp: now.toISOString(), from: old.state, to: changes.state, agent }
  const dropped = Math.max(0, old.history.length + 1 - longestHistory)
  return [
    ...Array.from({ length: dropped }, (): YamlEdit => ({ op: "remove", path: ["history", 0] })),
    { op: "append", path: ["history"], value },
  ]
}

/** Records that an agent started an attempt. */
export function noteStart(parts: SessionParts, agent: string): void {
  changeState(parts, ({ state, iterationCount }) => ({
    state: isEnd(state) ? state : "executing",
    currentAgent: agent,
    iterationCount: iterationCount + 1,
  }))
}

const longestMessage = 1000

/**
 * Records that an attempt ended; `before` is its previous result, so that an attempt counts once. Partial results
 * neither count as failures nor reset consecutive failures.
 */
export function noteFinish(parts: SessionParts, agent: string, before: AttemptResult, attempt: Attempt): void {
  changeState(parts, ({ state: last, consecutiveFailures, totalFailures }) => {
    const state = isEnd(last) ? last : "evaluating"
    const more = Number(attempt.result === "failure") - Number(before === "failure")
    const inARow = attempt.result === "success" ? 0 : Math.max(0, consecutiveFailures + more)
    const counts = { consecutiveFailures: inARow, totalFailures: Math.max(0, totalFailures + more) }
    if (attempt.result !== "failure") return { state, ...counts }
    return { state, ...counts, lastError: describeError(agent, attempt, parts.now()) }
  })
}

function describeError(agent: string, attempt: Attempt, now: Date): MachineState["lastError"] {
  const told = attempt.error ?? attempt.output ?? "no details"
  const category = categorizeError(errorOf(attempt) ?? told)
  return {
    agent,
    planStep: attempt.planStep,
    attempted: attempt.description,
    message: cutCharacters(told, longestMessage),
    category,
    recoveryOptions: [...recoveriesFrom[category]],
    timestamp: now.toISOString(),
  }
}

export function isEnd(state: string): state is "complete" | "failed" | "cancelled" {
  return state === "complete" || state === "failed" || state === "cancelled"
}

type LastError = NonNullable<MachineState["lastError"]>
type Category = LastError["category"]

/** Words that identify an error's category; the first category with a match counts. */
const signs: readonly (readonly [Category, RegExp])[] = [
  ["timeout", /\b(?:timed? ?out|timeout|etimedout|deadline exceeded|took too long)\b/i],
  [
    "permission_error",
    /\b(?:permission denied|eacces|eperm|not permitted|access denied|forbidden|unauthori[sz]ed|40[13])\b/i,
  ],
  [
    "provider_error",
    /\b(?:rate limit(?:ed)?|quota|overloaded|context (?:length|window)|model not found|api (?:error|key)|429|50[0234]|econnrefused|econnreset|enotfound)\b/i,
  ],
  [
    "validation_error",
    /\b(?:invalid|validation|assertion(?:error)?|expected|type ?error|syntax ?error|does not match|schema|error ts\d{1,5}|cannot assign|not assignable)\b/i,
  ],
  [
    "tool_failure",
    /\b(?:command not found|enoent|no such file|cannot find (?:module|package)|exit(?:ed)?(?: with)? (?:code|status)|non-zero|segmentation fault|killed|spawn|is not (?:installed|in the image))\b/i,
  ],
]

/** The category of an error, by its words. */
export function categorizeError(text: string): Category {
  return signs.find(([, sign]) => sign.test(text))?.[0] ?? "unknown"
}

/** What can be done about each category of error, most likely first. */
const recoveriesFrom: Readonly<Record<Category, LastError["recoveryOptions"]>> = {
  timeout: ["retry", "fallback", "abort"],
  provider_error: ["retry", "fallback", "abort"],
  permission_error: ["fallback", "skip", "abort"],
  validation_error: ["fallback", "retry", "abort"],
  tool_failure: ["fallback", "retry", "skip", "abort"],
  unknown: ["retry", "fallback", "skip", "abort"],
}

/** The beginning of a text, at most this many characters including the mark with the number of missing ones. No character is split. */
export function cutCharacters(text: string, most: number): string {
  if (text.length <= most) return text
  const characters = [...text]
  if (characters.length <= most) return text
  const mark = (kept: number) => `\n[… ${characters.length - kept} more characters]`
  const kept = most - mark(0).length
  return characters.slice(0, kept).join("") + mark(kept)
}

/** The same, by bytes of UTF-8. */
export function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  const mark = (kept: number) => `\n[… ${bytes.length - kept} more bytes]`
  let kept = most - Buffer.byteLength(mark(0))
  while (((bytes[kept] ?? 0) & 0xc0) === 0x80) kept-- // in the middle of a character
  return bytes.subarray(0, kept).toString() + mark(kept)
}
