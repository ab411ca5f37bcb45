import { realpathSync } from "node:fs"
import { join, sep } from "node:path"
import { codeOf } from "../disk/file-error.ts"
import { readTextFile } from "../disk/read-text-file.ts"
import { DreyError } from "../errors.ts"
import { scrubText } from "../governance/find-sensitive.ts"
import type { Diagnostic } from "./api.ts"

export type QuotedDiagnostic = Diagnostic & { text: string | null }

const longestLine = 400

/** Adds the source line to each finding; null if there is none or it contains a secret. */
export function quoteLines(root: string, diagnostics: readonly Diagnostic[]): QuotedDiagnostic[] {
  const linesOf = new Map<string, (string | null)[]>()
  return diagnostics.map((diagnostic) => {
    const { path, line } = diagnostic
    const lines = linesOf.get(path) ?? readLines(root, path)
    linesOf.set(path, lines)
    return { ...diagnostic, text: lines[line - 1]?.slice(0, longestLine) ?? null }
  })
}

function readLines(root: string, path: string): (string | null)[] {
  try {
    const place = realpathSync.native(join(root, path))
    if (!place.startsWith(`${realpathSync.native(root)}${sep}`)) return []
    const { text } = readTextFile(place)
    const harmless = new Set(scrubText(text).split(lineEnd))
    return text.split(lineEnd).map((line) => (harmless.has(line) ? line : scrubLine(line)))
  } catch (error) {
    if (error instanceof DreyError || codeOf(error) !== undefined) return [] // the finding already reports why it cannot be read
    throw error
  }
}

const lineEnd = /\r?\n/

/** A line from the middle of a private key looks harmless by itself. */
function scrubLine(line: string): string | null {
  const scrubbed = scrubText(line)
  return scrubbed === line ? null : scrubbed
}
