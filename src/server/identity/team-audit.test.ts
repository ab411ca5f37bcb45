import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import type { PostgresDriver } from "../../disk/postgres/driver.ts"
import { pgliteDriver } from "../../disk/postgres/pglite-driver.ts"
import { migrate } from "../../memories/postgres/migrations.ts"
import { rowsOf } from "../team-parts.ts"
import { wholeOf } from "./caller.ts"
import { makeOrganisation } from "./organisations.ts"
import { addTeamAudit, readAuditKeys, toAuditKey, verifyTeamAudit } from "./team-audit.ts"

const key = "the key of the server - long enough to be one"
const otherKey = "another key - of somebody who writes the tables"
const now = new Date("2026-03-01T12:00:00.000Z")

describe("the audit of a team", () => {
  let driver: PostgresDriver
  let organisations = 0
  beforeAll(async () => {
    driver = await pgliteDriver(undefined)
    await migrate(driver)
  }, 120_000)
  afterAll(() => driver?.close())

  const newHome = () => {
    const home = mkdtempSync(join(tmpdir(), "drey-audit-"))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    return home
  }

  /** An organisation whose audit has five lines, and what an attacker with only the database can do. */
  async function open(secret = key) {
    const slug = `audited-${++organisations}`
    const parts = { driver, auditKey: toAuditKey(secret) }
    await makeOrganisation(parts, { slug, name: slug, email: "", now })
    const add = (actor: string, given = parts) =>
      rowsOf(given, wholeOf(slug)).write(() => addTeamAudit({ actor, action: "tested" }, now.toISOString()))
    for (const actor of ["Ann", "Bob", "Cat"]) await add(actor)
    const environment = { DREY_HOME: newHome(), DREY_AUDIT_KEY: secret }
    const verify = (given: { keys?: string; head?: string } = {}) => {
      const [seq = "", hash = ""] = given.head?.split(":") ?? []
      const known = given.head === undefined ? undefined : { seq: Number(seq), hash }
      const place = { ...environment, ...(given.keys === undefined ? {} : { DREY_AUDIT_KEY: given.keys }) }
      return verifyTeamAudit(driver, { slug, database: "test", known, environment: place })
    }
    const tamper = (sql: string) => driver.within(wholeOf(slug), "write", (ask) => ask(sql))
    return { slug, add, verify, tamper, chainAnew: () => chainAnew(driver, slug) }
  }

  test("is intact as written, and its last line is remembered only on this machine", async () => {
    const { verify, add } = await open()
    expect(await verify()).toMatchObject({ kind: "intact", keyedFrom: 1, head: { seq: 5 } })
    await add("Dan")
    expect(await verify()).toMatchObject({ kind: "intact", head: { seq: 6 } })
  })

  test("cannot be changed by an attacker who has the tables and recomputes every hash, but does not have the key", async () => {
    const { verify, tamper, chainAnew } = await open()
    await tamper("UPDATE team_audit SET actor = 'nobody' WHERE seq = 4")
    expect(await verify()).toEqual({ kind: "changed", line: 4 })
    await chainAnew()
    expect(await verify()).toMatchObject({ kind: "intact", keyedFrom: null }) // never checked before: the only finding is that no line is signed
    const checked = await open()
    await checked.verify()
    await checked.tamper("UPDATE team_audit SET actor = 'nobody' WHERE seq = 4")
    await checked.chainAnew()
    expect(await checked.verify()).toMatchObject({ kind: "rewritten", known: { seq: 5 } })
  })

  test("cannot be truncated, or lose lines in between, without detection", async () => {
    const { verify, tamper, add } = await open()
    const before = await verify()
    await tamper("DELETE FROM team_audit WHERE seq > 3")
    expect(await verify()).toMatchObject({ kind: "cut", last: 3, known: { seq: 5 } })
    await add("Eve")
    await add("Eve")
    expect(await verify()).toMatchObject({ kind: "rewritten", known: { seq: 5 } })
    const head = before.kind === "intact" && before.head ? `${before.head.seq}:${before.head.hash}` : ""
    expect(head).toMatch(/^5:[0-9a-f]{72}$/)
    const other = await open()
    expect(await other.verify({ head })).toMatchObject({ kind: "rewritten" }) // as noted separately
    await other.tamper("DELETE FROM team_audit WHERE seq = 3")
    expect(await other.verify()).toEqual({ kind: "changed", line: 4 })
  })

  test("cannot be continued with another key, or without one", async () => {
    const { verify, add, tamper } = await open()
    await add("Mallory", { driver, auditKey: toAuditKey(otherKey) })
    expect(await verify()).toMatchObject({ kind: "unknown key", line: 6 })
    expect(await verify({ keys: `${otherKey}, ${key}` })).toMatchObject({ kind: "intact", head: { seq: 6 } }) // the key was changed on purpose
    await tamper(
      `INSERT INTO team_audit (seq, at, actor, action, hash) VALUES (7, '2026', 'x', 'y', decode(repeat('00', 32), 'hex'))`,
    )
    expect(await verify({ keys: `${otherKey},${key}` })).toEqual({ kind: "unkeyed", line: 7 })
  })

  test("of an earlier version is intact up to its last line, and signed from there on", async () => {
    const { verify, add, chainAnew } = await open()
    await chainAnew() // as it was chained before there was a key
    await add("Fay")
    expect(await verify()).toMatchObject({ kind: "intact", keyedFrom: 6, head: { seq: 6 } })
  })

  test("has a key that is generated once, private to the user, if none is configured", () => {
    const home = newHome()
    const [made] = readAuditKeys({ DREY_HOME: home })
    expect(readAuditKeys({ DREY_HOME: home, DREY_AUDIT_KEY: "" })).toEqual([made])
    expect(readFileSync(join(home, "team-audit-key"), "utf8")).toMatch(/^[0-9a-f]{64}\n$/)
    if (process.platform !== "win32") expect(statSync(join(home, "team-audit-key")).mode & 0o777).toBe(0o600)
    expect(() => readAuditKeys({ DREY_HOME: home, DREY_AUDIT_KEY: "short" })).toThrow("too short")
  })
})

/** What an attacker with write access to the tables can do without the key: recompute every hash as it was done before there was a key. */
function chainAnew(driver: PostgresDriver, slug: string): Promise<void> {
  return driver.within(wholeOf(slug), "write", async (ask) => {
    const { rows } = await ask("SELECT seq, at, actor, action, subject, reason FROM team_audit ORDER BY seq")
    let before: Uint8Array = Buffer.alloc(0)
    for (const { seq, at, actor, action, subject, reason } of rows) {
      const line = JSON.stringify([seq, at, actor, action, subject, reason])
      before = createHash("sha256").update(before).update(line).digest()
      await ask("UPDATE team_audit SET hash = $1 WHERE seq = $2", [before, seq as number])
    }
  })
}
