import { dropUnseen } from "../formats/drop-unseen.ts"
import type { AgentMemory, Attempt, MemoryContext } from "../formats/session/agent-memory.ts"
import type { Plan, SessionMetadata } from "../formats/session/sibling-files.ts"
import type { SimilarAttempt } from "../sessions/find-similar-attempt.ts"
import type { SessionEntry, SessionSummary, Trace } from "../sessions/session.ts"
import { colors } from "./colors.ts"
import { count } from "./print.ts"
import { fieldLine, fieldLines, oneLine } from "./show-fields.ts"

const paintResult = { success: colors.green, failure: colors.red, partial: colors.yellow, in_progress: colors.cyan }
const marks = { pending: " ", in_progress: "▸", complete: "✓", failed: "✗", skipped: "–" } as const

/** A session in one line: id, status, task, counts. */
export function summaryLine(session: SessionSummary): string {
  if (session.kind === "unreadable") return `${session.id}  ${colors.red("unreadable")}`
  const { status, task } = session.metadata
  const paint = { active: colors.cyan, complete: colors.green, failed: colors.red, cancelled: colors.dim }[status]
  return `${session.id}  ${paint(status.padEnd(9))}  ${oneLine(task)} ${colors.dim(`— ${countsText(session.metadata)}`)}`
}

export function endText(id: string, metadata: SessionMetadata): string {
  return `Ended ${id}: ${metadata.status}, ${countsText(metadata)}.`
}

type ShownSession = {
  id: string
  folder: string
  metadata: SessionMetadata
  plan: Plan | undefined
  memories: ReadonlyMap<string, AgentMemory>
}

/** A session on one screen: an entry is a line, in the order of the file. */
export function sessionText({ id, folder, metadata, plan, memories }: ShownSession): string {
  const { task, status, createdAt, endedAt, resultSummary, tokens } = metadata
  const ended = endedAt === undefined ? "" : `, ended ${minute(endedAt)}`
  return [
    `${colors.bold(oneLine(task))} ${colors.dim(`[${id}]`)}`,
    fieldLine("state", `${status}, started ${minute(createdAt)}${ended}`),
    ...(resultSummary === undefined ? [] : [fieldLine("result", oneLine(resultSummary))]),
    fieldLine("holds", countsText(metadata)),
    ...(tokens.input + tokens.output > 0
      ? [fieldLine("tokens", `${tokens.input} read, ${tokens.output} written`)]
      : []),
    fieldLine("folder", folder),
    ...(plan ? ["", planText(plan)] : []),
    ...[...memories].flatMap(([agent, memory]) => ["", ...agentLines(agent, memory, plan !== undefined)]),
  ].join("\n")
}

export function planText({ task, id, version, status, steps, currentStepIndex }: Plan): string {
  return [
    `${colors.bold(oneLine(task))} ${colors.dim(`[${id}, version ${version}, ${status}]`)}`,
    ...steps.map((step) => {
      const line = `${marks[step.status]} ${step.index + 1}. ${oneLine(step.description)}`
      return step.index === currentStepIndex ? colors.bold(line) : line
    }),
  ].join("\n")
}

export function contextText(agent: string, context: MemoryContext | undefined): string {
  const fields = context ? fieldLines(context) : []
  return [colors.bold(dropUnseen(agent)), ...(fields.length > 0 ? fields : ["nothing recorded yet"])].join("\n")
}

/** One entry with all its fields. */
export function entryText({ agent, archived, entry }: SessionEntry): string {
  const { id, timestamp, ...fields } = entry
  return [
    `${colors.bold(dropUnseen(id))} ${colors.dim(`${dropUnseen(agent)}, ${minute(timestamp)}${archived ? ", in the archive" : ""}`)}`,
    ...fieldLines(fields),
  ].join("\n")
}

/** What an entry is linked with, each below the one it was reached from. */
export function traceText({ start, linked, missing }: Trace): string {
  const linesBelow = ({ agent, entry: { id } }: SessionEntry, indent: string): string[] =>
    linked
      .filter(({ from, fromAgent }) => from === id && fromAgent === agent)
      .flatMap(({ relation, found }) => [
        `${indent}${colors.dim(relation)} ${entryLine(found)}`,
        ...linesBelow(found, `${indent}  `),
      ])
  return [
    entryLine(start),
    ...(linked.length === 0 ? [colors.dim("  no links")] : linesBelow(start, "  ")),
    ...missing.map(({ from, id }) => colors.yellow(`${oneLine(from)} refers to ${oneLine(id)}, which does not exist.`)),
  ].join("\n")
}

/** `attempt-001: failure` and what is known of it, in a line. */
export function attemptState({ id, result, progress, status, error, nextStep }: Attempt): string {
  const more = result === "in_progress" ? [progress, status, nextStep && `next: ${nextStep}`] : [error]
  const known = more
    .filter((part) => part !== undefined && part !== null && part !== "")
    .map((part) => oneLine(`${part}`))
  return `${dropUnseen(id)}: ${[paintResult[result](result.replace("_", " ")), ...known].join(", ")}`
}

export function similarLine({ attemptId, agent, result, reason }: SimilarAttempt): string {
  return `⚠ similar to ${result === "failure" ? "failed" : "partial"} ${oneLine(attemptId)} (${oneLine(agent)}): ${oneLine(reason)}`
}

/** With a plan, the plan's own lines show the agent's step. */
function agentLines(agent: string, memory: AgentMemory, hasPlan: boolean): string[] {
  const { discoveries, attempts, decisions, history } = memory
  const { currentPlanStep, planStepStatus, ...rest } = memory.context ?? {}
  const context = fieldLines(hasPlan ? rest : { currentPlanStep, planStepStatus, ...rest })
  const entries: SessionEntry[] = [
    ...discoveries.map((entry) => ({ kind: "discovery" as const, agent, archived: false, entry })),
    ...attempts.map((entry) => ({ kind: "attempt" as const, agent, archived: false, entry })),
    ...decisions.map((entry) => ({ kind: "decision" as const, agent, archived: false, entry })),
  ]
  const archived = history.reduce((sum, { ids }) => sum + ids.length, 0)
  return [
    colors.bold(dropUnseen(agent)),
    ...entries.map((entry) => `  ${entryLine(entry, { agent: false })}`),
    ...(archived > 0 ? [colors.dim(`  and ${count(archived, "entry", "entries")} in the archive`)] : []),
    ...context.map((line) => `  ${line}`),
    ...(entries.length + archived + context.length === 0 ? [colors.dim("  nothing recorded yet")] : []),
  ]
}

function entryLine(item: SessionEntry, { agent = true } = {}): string {
  const about = agent ? ` ${colors.dim(`(${dropUnseen(item.agent)})`)}` : ""
  return `${dropUnseen(item.entry.id)}${about}  ${describe(item)}`
}

function describe(item: SessionEntry): string {
  if (item.kind === "discovery") {
    const { type, importance, summary, content } = item.entry
    return `${colors.green(oneLine(type))}, ${importance}: ${oneLine(summary ?? content)}`
  }
  if (item.kind === "decision") {
    const { type, impact, description } = item.entry
    return `${colors.green(oneLine(type))}${impact === undefined ? "" : `, ${impact} impact`}: ${oneLine(description)}`
  }
  const { result, planStep, description, error } = item.entry
  const step = planStep === undefined ? "" : `, step ${planStep}`
  return `${paintResult[result](result.replace("_", " "))}${step}: ${oneLine(description)}${error ? colors.dim(` — ${oneLine(error)}`) : ""}`
}

function countsText({ counts }: SessionMetadata): string {
  const { discoveries, attempts, decisions, failures } = counts
  const failed = failures > 0 ? ` (${failures} failed)` : ""
  return `${count(discoveries, "discovery", "discoveries")}, ${count(attempts, "attempt")}${failed}, ${count(decisions, "decision")}`
}

/** `2026-02-14 09:15`, in UTC like the files; an invalid time is shown unchanged. */
function minute(timestamp: string): string {
  const moment = new Date(timestamp)
  return Number.isNaN(moment.getTime()) ? oneLine(timestamp) : moment.toISOString().slice(0, 16).replace("T", " ")
}
