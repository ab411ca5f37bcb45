import { createHash, createHmac } from "node:crypto"
import { all, one, run, type Steps } from "../../../store/steps.ts"
import type { AuditPage } from "../../api.ts"
import { type AuditKey, idBytes } from "./audit-key.ts"

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

/** Notes who did what; `sealAudit` chains it to the line before, at the end of the transaction. */
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

/** A line that all before it can be checked by, from outside of the database. */
export type AuditHead = { seq: number; hash: string }

type SealedRow = AuditRow & { hash: Uint8Array }

const columns = "seq, at, actor, action, subject, reason, hash"
/** More than any transaction adds. */
const mostAdded = 100

/**
 * Chains the lines that a transaction has added to the line before, with a key that is not in the database. Writes of one organisation wait
 * for one another, so that there is one line before.
 */
export function* sealAudit(key: AuditKey): Steps<void> {
  const last = yield* one<{ hash: Uint8Array }>("SELECT hash FROM team_audit ORDER BY seq DESC LIMIT 1")
  if (!last || last.hash.length > 0) return // it has added none
  const newest = yield* all<SealedRow>(`SELECT ${columns} FROM team_audit ORDER BY seq DESC LIMIT ${mostAdded}`)
  const added = newest.findIndex(({ hash }) => hash.length > 0)
  if (added === -1 && newest.length === mostAdded)
    throw new Error("a transaction has added too many lines to the audit")
  const open = (added === -1 ? newest : newest.slice(0, added)).reverse()
  let before = added === -1 ? undefined : newest[added]?.hash
  for (const row of open) {
    before = sealedHash(before, row, key)
    yield* run("UPDATE team_audit SET hash = ? WHERE seq = ?", before, row.seq)
  }
}

/** Which key, and what that makes of the line and of all before it. */
function sealedHash(before: Uint8Array | undefined, row: AuditRow, { id, secret }: AuditKey): Buffer {
  const seal = createHmac("sha256", secret)
    .update(before ?? "")
    .update(lineOf(row))
  return Buffer.concat([id, seal.digest()])
}

/** As lines were chained before there was a key. */
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

/** `intact`: `head` is the last line, null where there is none; `keyedFrom` the first that is sealed with a key, null where none is. */
export type AuditFinding =
  | { kind: "intact"; head: AuditHead | null; keyedFrom: number | null }
  /** This line is not what was written, or a line before it is gone. */
  | { kind: "changed"; line: number }
  /** It has no seal, and lines before it have: a server of an earlier version wrote it, or somebody without the key. */
  | { kind: "unkeyed"; line: number }
  /** Its seal is of a key that is not at hand. */
  | { kind: "unknown key"; line: number; key: string }
  /** A line that was known from before is no longer there, or is another one: `last` is the last that there is. */
  | { kind: "cut"; known: AuditHead; last: number }
  | { kind: "rewritten"; known: AuditHead }

/** Goes through the whole chain, and looks for the lines that are known from outside of the database. */
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
