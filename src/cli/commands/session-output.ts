import { relative } from "node:path"
import { isRecord } from "../../formats/objects.ts"
import type { AgentMemory, Attempt, MemoryContext } from "../../formats/session/agent-memory.ts"
import type { Plan, SessionMetadata } from "../../formats/session/sibling-schemas.ts"
import { removeInvisible } from "../../formats/text.ts"
import type {
  Archiving,
  Cleanup,
  EntryTrace,
  SessionEntry,
  SessionSummary,
  SessionValidation,
} from "../../sessions/session-api.ts"
import type { SimilarAttempt } from "../../sessions/similar-attempts.ts"
import { colors } from "../output.ts"
import { count, formatNumber } from "../print.ts"

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
    ...(plan ? ["", sessionPlanText(plan)] : []),
    ...[...memories].flatMap(([agent, memory]) => ["", ...agentLines(agent, memory, plan !== undefined)]),
  ].join("\n")
}

export function sessionPlanText({ task, id, version, status, steps, currentStepIndex }: Plan): string {
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
  return [colors.bold(removeInvisible(agent)), ...(fields.length > 0 ? fields : ["nothing recorded yet"])].join("\n")
}

/** One entry with all its fields. */
export function entryText({ agent, archived, entry }: SessionEntry): string {
  const { id, timestamp, ...fields } = entry
  return [
    `${colors.bold(removeInvisible(id))} ${colors.dim(`${removeInvisible(agent)}, ${minute(timestamp)}${archived ? ", in the archive" : ""}`)}`,
    ...fieldLines(fields),
  ].join("\n")
}

/** What an entry is linked with, each below the one it was reached from. */
export function traceText({ start, linked, missing }: EntryTrace): string {
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

/** `attempt-001: failure` and a summary of it, on one line. */
export function attemptState({ id, result, progress, status, error, nextStep }: Attempt): string {
  const more = result === "in_progress" ? [progress, status, nextStep && `next: ${nextStep}`] : [error]
  const known = more
    .filter((part) => part !== undefined && part !== null && part !== "")
    .map((part) => oneLine(`${part}`))
  return `${removeInvisible(id)}: ${[paintResult[result](result.replace("_", " ")), ...known].join(", ")}`
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
    colors.bold(removeInvisible(agent)),
    ...entries.map((entry) => `  ${entryLine(entry, { agent: false })}`),
    ...(archived > 0 ? [colors.dim(`  and ${count(archived, "entry", "entries")} in the archive`)] : []),
    ...context.map((line) => `  ${line}`),
    ...(entries.length + archived + context.length === 0 ? [colors.dim("  nothing recorded yet")] : []),
  ]
}

function entryLine(item: SessionEntry, { agent = true } = {}): string {
  const about = agent ? ` ${colors.dim(`(${removeInvisible(item.agent)})`)}` : ""
  return `${removeInvisible(item.entry.id)}${about}  ${describe(item)}`
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

/** Every field with a value, lists and long texts on lines of their own. */
function fieldLines(fields: Record<string, unknown>): string[] {
  const shown = Object.entries(fields)
    .map(([name, value]) => ({
      name: removeInvisible(name),
      lines: valueLines(value),
      isBlock: typeof value === "object",
    }))
    .filter(({ lines }) => lines.length > 0)
  const isShort = ({ lines, isBlock }: (typeof shown)[number]) => lines.length === 1 && !isBlock
  const width = Math.max(...shown.filter(isShort).map(({ name }) => name.length), 0)
  return shown.flatMap((each) =>
    isShort(each)
      ? [fieldLine(each.name, each.lines.join(), width)]
      : [colors.dim(each.name), ...each.lines.map((line) => `  ${line}`)],
  )
}

function valueLines(value: unknown): string[] {
  if (value === undefined || value === null || value === "") return []
  if (Array.isArray(value)) return value.flatMap((item) => marked(isRecord(item) ? [inline(item)] : valueLines(item)))
  if (isRecord(value)) return fieldLines(value)
  return String(value).trimEnd().split("\n").map(removeInvisible)
}

function marked(lines: string[]): string[] {
  return lines.map((line, at) => `${at === 0 ? "- " : "  "}${line}`)
}

/** `src/report.ts, create`. */
function inline(map: Record<string, unknown>): string {
  const values = Object.values(map).filter((value) => value !== undefined && value !== null && value !== "")
  return values.map((value) => oneLine(typeof value === "object" ? JSON.stringify(value) : String(value))).join(", ")
}

function fieldLine(name: string, value: string, width = 6): string {
  return `${colors.dim(name.padEnd(width))}  ${value}`
}

/** The first non-empty line. */
function oneLine(text: string): string {
  return removeInvisible(text.split("\n").find((line) => line.trim() !== "") ?? "").trim()
}

const paint = { error: colors.red, warning: colors.yellow }

export function validationText({ files, errors, warnings }: SessionValidation): string {
  const lines = files.flatMap(({ path, problems }) =>
    problems.map(({ line, column, severity, path: field, message, code }) => {
      const place = field === "" ? "" : `${field}: `
      return `${fromHere(path)}:${line}:${column}  ${paint[severity](severity)}  ${place}${message} ${colors.dim(`(${code})`)}`
    }),
  )
  const summary = `${count(files.length, "file")}: ${count(errors, "error")}, ${count(warnings, "warning")}.`
  return [...lines, ...(lines.length > 0 ? [""] : []), summary].join("\n")
}

/** Relative to the working directory if the file is below it. */
function fromHere(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith("..") ? path : short
}

export function archivingText(id: string, archivings: readonly Archiving[], { dryRun = false } = {}): string {
  const moves = archivings.filter(({ moved, contentsDropped }) => numberOf(moved) + contentsDropped > 0)
  const large = archivings.filter(({ stillTooLarge }) => stillTooLarge)
  return [
    ...(moves.length === 0
      ? [`Nothing in ${id} is old enough to archive.`]
      : moves.map((move) => moveText(id, move, dryRun))),
    ...large.map(({ agent, bytesAfter }) =>
      colors.yellow(
        `The memory of ${agent} still has ${formatNumber(bytesAfter)} bytes: everything left in it is in use.`,
      ),
    ),
  ].join("\n")
}

export function cleanupText({ due, kept, removed }: Cleanup, { remove }: { remove: boolean }): string {
  if (due.length === 0) return `No sessions to remove; ${count(kept, "session is", "sessions are")} kept.`
  const linesOf = (sessions: Cleanup["due"]) =>
    sessions.map(({ id, reason, sizeBytes }) => `  ${id}  ${reason} ${colors.dim(`(${kilobytes(sizeBytes)})`)}`)
  if (!remove)
    return [
      `${count(due.length, "session")} would be removed:`,
      ...linesOf(due),
      "Nothing was removed; confirm with --yes.",
    ].join("\n")
  const [gone, stayed] = [due.filter(({ id }) => removed.includes(id)), due.filter(({ id }) => !removed.includes(id))]
  return [
    ...(gone.length > 0 ? [`Removed ${count(gone.length, "session")}:`, ...linesOf(gone)] : []),
    ...stayed.map(({ id }) => `${id} was kept: another process changed or removed it in the meantime.`),
  ].join("\n")
}

function moveText(
  id: string,
  { agent, moved, contentsDropped, bytesBefore, bytesAfter }: Archiving,
  dryRun: boolean,
): string {
  const parts = [
    count(moved.discoveries.length, "discovery", "discoveries"),
    count(moved.attempts.length, "attempt"),
    count(moved.decisions.length, "decision"),
    ...(contentsDropped > 0 ? [`the contents of ${count(contentsDropped, "artifact")}`] : []),
  ].filter((part) => !part.startsWith("0 "))
  return `${dryRun ? "Would move" : "Moved"} ${parts.join(", ")} of ${agent} to the archive of ${id}: ${kilobytes(bytesBefore)} to ${kilobytes(bytesAfter)}.`
}

function numberOf(moved: Archiving["moved"]): number {
  return moved.discoveries.length + moved.attempts.length + moved.decisions.length
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`
}
