import { createHash } from "node:crypto"
import { all, one, run, type Steps } from "../../../store/steps.ts"
import type { AuditPage } from "../../api.ts"

/** An administrative act, or a write of a memory; ids, roles and names of actions, never content. */
export type TeamAct = { actor: string; action: string; subject?: string | undefined; reason?: string | undefined }

type AuditRow = {
  seq: number
  at: string
  actor: string
  action: string
  subject: string | null
  reason: string | null
}

/** Notes who did what, chained to the line before. Writes of one organisation wait for one another, so that there is one line before. */
export function* addTeamAudit({ actor, action, subject, reason }: TeamAct, now: string): Steps<void> {
  const last = yield* one<{ seq: number; hash: Uint8Array }>(
    "SELECT seq, hash FROM team_audit ORDER BY seq DESC LIMIT 1",
  )
  const row: AuditRow = {
    seq: (last?.seq ?? 0) + 1,
    at: now,
    actor,
    action,
    subject: subject ?? null,
    reason: reason ?? null,
  }
  yield* run(
    "INSERT INTO team_audit (seq, at, actor, action, subject, reason, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
    row.seq,
    row.at,
    row.actor,
    row.action,
    row.subject,
    row.reason,
    chainedHash(last?.hash, row),
  )
}

function chainedHash(before: Uint8Array | undefined, { seq, at, actor, action, subject, reason }: AuditRow): Buffer {
  const line = JSON.stringify([seq, at, actor, action, subject, reason])
  return createHash("sha256")
    .update(before ?? "")
    .update(line)
    .digest()
}

/** The newest first; `after` is the `next` of the page before. */
export function* readTeamAudit({ after, limit }: { after: number | undefined; limit: number }): Steps<AuditPage> {
  const rows = yield* all<AuditRow>(
    "SELECT seq, at, actor, action, subject, reason FROM team_audit WHERE seq < ? ORDER BY seq DESC LIMIT ?",
    after ?? 2_147_483_647,
    limit + 1,
  )
  const records = rows.slice(0, limit)
  return { records, next: rows.length > limit ? (records.at(-1)?.seq ?? null) : null }
}

/** The number of the first line that is not what was written, or whose line before is gone; undefined when all is as it was. */
export function* findBrokenAudit(): Steps<number | undefined> {
  let before: Uint8Array | undefined
  for (let seq = 0; ; ) {
    const rows = yield* all<AuditRow & { hash: Uint8Array }>(
      "SELECT seq, at, actor, action, subject, reason, hash FROM team_audit WHERE seq > ? ORDER BY seq LIMIT 1000",
      seq,
    )
    if (rows.length === 0) return undefined
    for (const row of rows) {
      if (row.seq !== seq + 1 || !chainedHash(before, row).equals(row.hash)) return row.seq
      seq = row.seq
      before = row.hash
    }
  }
}
