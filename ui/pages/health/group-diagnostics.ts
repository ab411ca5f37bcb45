import type { Health } from "../../../src/recall/browse/app-api.ts"

type Quoted = Health["diagnostics"][number]

/** One line of a file with all that is wrong with it. */
export type LineFindings = { line: number; text: string | null; findings: Quoted[] }
export type FileFindings = { path: string; errors: number; count: number; lines: LineFindings[] }

/** Findings by file and line; files with errors first, then those with the most findings. */
export function groupDiagnostics(diagnostics: readonly Quoted[]): FileFindings[] {
  const files = new Map<string, Map<number, LineFindings>>()
  for (const diagnostic of diagnostics) {
    const { path, line, text } = diagnostic
    const lines = files.get(path) ?? new Map<number, LineFindings>()
    files.set(path, lines)
    const known = lines.get(line) ?? { line, text, findings: [] }
    lines.set(line, known)
    known.findings.push(diagnostic)
  }
  return [...files]
    .map(([path, lines]) => toFile(path, [...lines.values()]))
    .sort((one, other) => other.errors - one.errors || other.count - one.count || (one.path < other.path ? -1 : 1))
}

function toFile(path: string, lines: LineFindings[]): FileFindings {
  const all = lines.flatMap(({ findings }) => findings)
  return {
    path,
    errors: all.filter(({ severity }) => severity === "error").length,
    count: all.length,
    lines: lines.sort((one, other) => one.line - other.line),
  }
}
