import { relative } from "node:path"
import type { Archiving, Cleanup, SessionValidation } from "../sessions/session.ts"
import { colors } from "./colors.ts"
import { count, formatNumber } from "./print.ts"

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
