import { createHash, createHmac } from "node:crypto"
import { all, one, run, type Steps } from "../../../store/steps.ts"
import type { AuditPage } from "../../api.ts"
import { type AuditKey, idBytes } from "./audit-key.ts"

/** An administrative action or memory write: ids, roles and action names, never content. */
export type TeamAct = { actor: string; action: string; subject?: string | undefined; reason?: string | undefined }

type AuditRow = {
  seq: number
  at: string
  actor: string
  action: string
  subject: string | null
  reason: string | null
}

/** Adds an audit record; `sealAudit` chains it to the previous one at the end of the transaction. */
export function* addTeamAudit({ actor, action, subject, reason }: TeamAct, now: string): Steps<void> {
  const last = yield* one<{ seq: number }>("SELECT seq FROM team_audit ORDER BY seq DESC LIMIT 1")
  yield* run(
    "INSERT INTO team_audit (seq, at, actor, action, subject, reason, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
    (last?.seq ?? 0) + 1,
    now,
    actor,
    action,
    subject ?? null,
    reason ?? null,
    Buffer.alloc(0),
  )
}

/** A record noted outside of the database, against which all earlier ones can be verified. */
export type AuditHead = { seq: number; hash: string }

type SealedRow = AuditRow & { hash: Uint8Array }

const columns = "seq, at, actor, action, subject, reason, hash"
/** Upper bound of records per transaction. */
const mostAdded = 100

/**
 * Chains a transaction's new records to the previous one with a key that is not in the database. Writes of an organisation are serialized,
 * so there is exactly one previous record.
 */
export function* sealAudit(key: AuditKey): Steps<void> {
  const last = yield* one<{ hash: Uint8Array }>("SELECT hash FROM team_audit ORDER BY seq DESC LIMIT 1")
  if (!last || last.hash.length > 0) return // no new records
  const newest = yield* all<SealedRow>(`SELECT ${columns} FROM team_audit ORDER BY seq DESC LIMIT ${mostAdded}`)
  const added = newest.findIndex(({ hash }) => hash.length > 0)
  if (added === -1 && newest.length === mostAdded) throw new Error("a transaction added too many audit records")
  const open = (added === -1 ? newest : newest.slice(0, added)).reverse()
  let before = added === -1 ? undefined : newest[added]?.hash
  for (const row of open) {
    before = sealedHash(before, row, key)
    yield* run("UPDATE team_audit SET hash = ? WHERE seq = ?", before, row.seq)
  }
}

/** Key id and HMAC of the record and the previous seal. */
function sealedHash(before: Uint8Array | undefined, row: AuditRow, { id, secret }: AuditKey): Buffer {
  const seal = createHmac("sha256", secret)
    .update(before ?? "")
    .update(lineOf(row))
  return Buffer.concat([id, seal.digest()])
}

/** How records were chained before keys were introduced. */
function plainHash(before: Uint8Array | undefined, row: AuditRow): Buffer {
  return createHash("sha256")
    .update(before ?? "")
    .update(lineOf(row))
    .digest()
}

const plainBytes = 32

function lineOf({ seq, at, actor, action, subject, reason }: AuditRow): string {
  return JSON.stringify([seq, at, actor, action, subject, reason])
}

/** Newest first; `after` is the previous page's `next`. */
export function* readTeamAudit({ after, limit }: { after: number | undefined; limit: number }): Steps<AuditPage> {
  const rows = yield* all<AuditRow>(
    "SELECT seq, at, actor, action, subject, reason FROM team_audit WHERE seq < ? ORDER BY seq DESC LIMIT ?",
    after ?? 2_147_483_647,
    limit + 1,
  )
  const records = rows.slice(0, limit)
  return { records, next: rows.length > limit ? (records.at(-1)?.seq ?? null) : null }
}

/** `intact`: `head` is the last record, `keyedFrom` the first one sealed with a key; null if there is none. */
export type AuditFinding =
  | { kind: "intact"; head: AuditHead | null; keyedFrom: number | null }
  /** This record was changed, or an earlier one was removed. */
  | { kind: "changed"; line: number }
  /** Unsealed after sealed records: written by an older server, or without the key. */
  | { kind: "unkeyed"; line: number }
  /** Sealed with a key that is not configured. */
  | { kind: "unknown key"; line: number; key: string }
  /** A previously known record is missing or different; `last` is the last existing one. */
  | { kind: "cut"; known: AuditHead; last: number }
  | { kind: "rewritten"; known: AuditHead }

/** Verifies the whole chain, and that it contains the records known from outside of the database. */
export function* checkAudit(keys: readonly AuditKey[], known: readonly AuditHead[]): Steps<AuditFinding> {
  let keyedFrom: number | null = null
  let last = 0
  let before: Uint8Array | undefined
  for (;;) {
    const rows = yield* all<SealedRow>(`SELECT ${columns} FROM team_audit WHERE seq > ? ORDER BY seq LIMIT 1000`, last)
    for (const row of rows) {
      const line = row.seq
      const isKeyed = row.hash.length !== plainBytes
      const id = Buffer.from(row.hash.subarray(0, idBytes))
      const key = keys.find((each) => each.id.equals(id))
      if (line !== last + 1) return { kind: "changed", line }
      if (!isKeyed && keyedFrom !== null) return { kind: "unkeyed", line }
      if (isKeyed && !key) return { kind: "unknown key", line, key: id.toString("hex") }
      if (!(isKeyed && key ? sealedHash(before, row, key) : plainHash(before, row)).equals(row.hash))
        return { kind: "changed", line }
      if (isKeyed) keyedFrom ??= line
      before = row.hash
      last = line
      const rewritten = known.find(({ seq, hash }) => seq === line && hash !== hexOf(row.hash))
      if (rewritten) return { kind: "rewritten", known: rewritten }
    }
    if (rows.length === 0) break
  }
  const missing = known.find(({ seq }) => seq > last)
  if (missing) return { kind: "cut", known: missing, last }
  return { kind: "intact", head: before ? { seq: last, hash: hexOf(before) } : null, keyedFrom }
}

function hexOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString("hex")
}
