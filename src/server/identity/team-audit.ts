import { createHash, createHmac, randomBytes } from "node:crypto"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { dreyHome } from "../../config.ts"
import { makeFolder, writeFileAtomic } from "../../disk/atomic-write.ts"
import { makePrivate, writeInHome } from "../../disk/home-files.ts"
import { parseJson } from "../../disk/json.ts"
import type { PostgresDriver } from "../../disk/postgres/driver.ts"
import { codeOf, fileError, readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { postgresSession } from "../../memories/postgres/postgres-store.ts"
import { all, one, run, type Steps } from "../../memories/steps.ts"
import type { AuditPage } from "../api.ts"
import { wholeOf } from "./caller.ts"

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

export type AuditVerifying = {
  slug: string
  /** The database's name without secrets; results are stored under it. */
  database: string
  /** A record noted separately. */
  known: AuditHead | undefined
  environment: NodeJS.ProcessEnv
}

/**
 * Verifies an organisation's audit against the key, against the last record of the previous check, and against one noted by the user.
 * The last record of an intact audit is stored on this machine for the next check.
 */
export async function verifyTeamAudit(driver: PostgresDriver, verifying: AuditVerifying): Promise<AuditFinding> {
  const { slug, database, known, environment } = verifying
  const home = dreyHome(environment)
  const path = join(home, "team-audit-heads.json")
  const heads = readHeads(path)
  const name = `${database} ${slug}`
  const before = heads[name]
  const lines = [before, known].filter((head) => head !== undefined)
  const keys = readAuditKeys(environment)
  const finding = await postgresSession(driver, wholeOf(slug)).read(() => checkAudit(keys, lines))
  if (finding.kind === "intact" && finding.head && finding.head.seq !== before?.seq) {
    makeFolder(home, 0o700)
    writeFileAtomic(path, `${JSON.stringify({ ...heads, [name]: finding.head }, null, 2)}\n`, { mode: 0o600 })
  }
  return finding
}

const savedHeads = z.record(z.string(), z.object({ seq: z.number().int(), hash: z.string() }))

function readHeads(path: string): Record<string, AuditHead> {
  if (!existsSync(path)) return {}
  const read = savedHeads.safeParse(parseJson(readTextFile(path).text, path))
  if (read.success) return read.data
  throw new DreyError(`${path} is not a valid record of audit checks`, {
    hint: "Move the file away; the audit is then checked without earlier results.",
  })
}

/** Seals audit records; it is not stored in the database. `id` is not secret: every sealed record contains it. */
export type AuditKey = { id: Buffer; secret: Buffer }

/** The current key first, then previous ones. */
export type AuditKeys = readonly [AuditKey, ...AuditKey[]]

const leastLength = 32

/**
 * `DREY_AUDIT_KEY`: one or more keys separated by commas, the current one first. Without it, a key is generated once and stored in Drey's
 * home, readable by this user only. All servers of a database need the same key.
 */
export function readAuditKeys(environment: NodeJS.ProcessEnv): AuditKeys {
  const given = environment.DREY_AUDIT_KEY?.trim()
  const [first = "", ...others] = (given ? given : readKeyFile(dreyHome(environment)))
    .split(",")
    .map((part) => part.trim())
  return [toAuditKey(first), ...others.map(toAuditKey)]
}

export function toAuditKey(text: string): AuditKey {
  if (text.length < leastLength)
    throw new DreyError("The audit key is too short", {
      hint: `Set DREY_AUDIT_KEY to at least ${leastLength} random characters, for example from: openssl rand -hex 32`,
    })
  const secret = Buffer.from(text)
  return { id: createHash("sha256").update("drey audit key\n").update(secret).digest().subarray(0, idBytes), secret }
}

const idBytes = 4

function readKeyFile(home: string): string {
  const path = join(home, "team-audit-key")
  try {
    makeFolder(home, 0o700)
    writeInHome(path, `${randomBytes(32).toString("hex")}\n`, { isNew: true })
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw fileError(path, error)
    if ((statSync(path).mode & 0o077) !== 0) makePrivate(path)
  }
  return readTextFile(path).text.trim()
}
