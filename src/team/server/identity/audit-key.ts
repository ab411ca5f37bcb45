import { createHash, randomBytes } from "node:crypto"
import { statSync } from "node:fs"
import { join } from "node:path"
import { dreyHome } from "../../../config.ts"
import { codeOf, fileError } from "../../../disk/file-error.ts"
import { keepOthersOut, writeInHome } from "../../../disk/home-files.ts"
import { readTextFile } from "../../../disk/read-text-file.ts"
import { makeFolder } from "../../../disk/write-file-atomic.ts"
import { DreyError } from "../../../errors.ts"

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

export const idBytes = 4

function readKeyFile(home: string): string {
  const path = join(home, "team-audit-key")
  try {
    makeFolder(home, 0o700)
    writeInHome(path, `${randomBytes(32).toString("hex")}\n`, { isNew: true })
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw fileError(path, error)
    if ((statSync(path).mode & 0o077) !== 0) keepOthersOut(path)
  }
  return readTextFile(path).text.trim()
}
