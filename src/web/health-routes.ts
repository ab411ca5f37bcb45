import { realpathSync } from "node:fs"
import { join, sep } from "node:path"
import { z } from "zod"
import { codeOf, readTextFile } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import { foldText } from "../formats/query-match.ts"
import type { AuditRecord } from "../governance/audit.ts"
import { scrubText } from "../governance/redaction.ts"
import type { Audit, DiagnosticRow, Health } from "../recall/browse/app-api.ts"
import { get, reply } from "./route.ts"

export type QuotedDiagnostic = DiagnosticRow & { text: string | null }

const longestLine = 400

/** Adds the source line to each finding; null if there is none or it contains a secret. */
export function quoteLines(root: string, diagnostics: readonly DiagnosticRow[]): QuotedDiagnostic[] {
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

const word = z.string().max(200).optional()
const place = z.coerce.number().int().min(0)

const mostDiagnostics = 500
const gravities = ["error", "warning", "info"]
const gravityOf = ({ severity }: { severity: string }) => gravities.indexOf(severity)

export const healthRoutes = [
  get("/api/health", z.object({}), async ({ drey }) => {
    const checks = await drey.team.check()
    const { diagnostics } = await drey.team.validate({ kind: "store" })
    const gravest = [...diagnostics].sort((one, other) => gravityOf(one) - gravityOf(other)).slice(0, mostDiagnostics)
    return reply<Health>({
      checks: checks.map((check) => ({ ...check, fix: fixIn(check.message) })),
      diagnostics: quoteLines(
        drey.root,
        gravest.map(({ path, line, code, severity, message }) => ({ path, line, code, severity, message })),
      ),
      further: diagnostics.length - gravest.length,
    })
  }),
  get(
    "/api/audit",
    z.object({ action: word, actor: word, text: word, limit: place.max(500).default(100), offset: place.default(0) }),
    async ({ drey }, { action, actor, text = "", limit, offset }) => {
      const memory = drey.governed
      const { ok, lines, problems } = await memory.verifyAudit()
      const [first] = problems
      const all = (await memory.audit()).map((record, at) => ({ ...record, line: at + 1 }))
      const wanted = foldText(text)
      const found = all
        .filter((record) => (!action || record.action === action) && (!actor || record.actor === actor))
        .filter((record) => wanted === "" || holds(record, wanted))
        .reverse()
      return reply<Audit>({
        whole: ok,
        lines,
        problem: first ? `${first.path}:${first.line}: ${first.message}` : null,
        records: found.slice(offset, offset + limit).map(toRecord),
        total: found.length,
        actions: [...new Set(all.map((record) => record.action))].sort(),
        actors: [...new Set(all.flatMap((record) => record.actor ?? []))].sort(),
      })
    },
  ),
]

/** Doctor names the command in quotes. */
function fixIn(message: string): string | null {
  return /"(drey [^"]+)"/.exec(message)?.[1] ?? null
}

function holds({ id, title, path, reason, actor }: AuditRecord, wanted: string): boolean {
  return [id, title, path, reason, actor].some((value) => foldText(value ?? "").includes(wanted))
}

function toRecord(record: AuditRecord & { line: number }): Audit["records"][number] {
  return {
    line: record.line,
    at: record.timestamp,
    action: record.action,
    id: record.id ?? null,
    class: record.class ?? null,
    title: record.title ?? null,
    path: record.path ?? null,
    reason: record.reason ?? null,
    actor: record.actor ?? null,
  }
}
