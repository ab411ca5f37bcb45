import { z } from "zod"
import { foldText } from "../formats/matches-query.ts"
import type { AuditRecord } from "../governance/audit-chain.ts"
import type { Audit, Health } from "./api.ts"
import { quoteLines } from "./quote-lines.ts"
import { get, reply } from "./route.ts"

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
