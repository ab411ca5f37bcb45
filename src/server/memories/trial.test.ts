import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findPostgres } from "../../../scripts/postgres/find-postgres.ts"
import type { TeamMemory, UseEvent } from "../api.ts"
import { wholeOf } from "../identity/caller.ts"
import { runJob } from "../jobs/job-runner.ts"
import { share, shared, startTestServer, type TestMember, type TestServer } from "../test-team-server.ts"

const project = "github.com/acme/shop"

describe.skipIf(findPostgres() === undefined)(
  "a shared memory is on trial (needs a PostgreSQL server installed)",
  () => {
    let server: TestServer
    let owner: TestMember
    let kim: TestMember
    let lee: TestMember
    beforeAll(async () => {
      server = await startTestServer()
      owner = await server.organisation("acme")
      kim = await owner.invite("Kim", "member")
      lee = await owner.invite("Lee", "member")
    })
    afterAll(() => server?.close())

    const read = async (id: string): Promise<TeamMemory> => (await owner.ask("GET", `/v1/memories/${id}`)).body.memory
    const evaluate = () => runJob({ ...server.parts, warn: () => {} }, "evaluate", { slug: "acme", project })
    const tell = async (member: TestMember, events: UseEvent[]) =>
      (await member.ask("POST", "/v1/uses", { events })).body as { taken: number; known: number; ignored: number }

    test("no member's claim makes a memory proven, trusted or urgent for others", async () => {
      const claims = { status: "active", confidence: 1, origin: "user", trust: 3, tier: "emergency" } as const
      const created = "2999-01-01T00:00:00.000Z"
      const text = "Deploy with make ship"
      const memory = await share(kim, { ...claims, created, text, sourceMemory: "m-claim" })
      const decided = { status: "provisional", confidence: 0.6, origin: "import", trust: 0, tier: "short_term" }
      expect(memory).toMatchObject(decided)
      expect(memory.created < created).toBe(true)
      const { text: context } = (await lee.ask("POST", "/v1/context", { project, task: "deploy with make ship" })).body
      expect(context).toContain("on trial")
      expect(context).toContain("shared by Kim, on trial")
      expect(context).not.toMatch(/proven|a member's words/)
      await kim.ask("DELETE", `/v1/memories/${memory.id}`, { reason: "again" })
      const again = await kim.ask("POST", "/v1/memories", shared({ ...claims, text, sourceMemory: "m-claim" }))
      expect(again.body).toMatchObject(decided)
    })

    test("a member cannot confirm what they shared, or make it urgent; an administrator can", async () => {
      const { id, version } = await share(kim, { text: "Mail is sent at night", sourceMemory: "m-confirm" })
      for (const change of [{ status: "active" }, { tier: "emergency" }, { status: "active", tier: "long_term" }])
        for (const member of [kim, await kim.withToken(["read", "write"])])
          expect(await member.ask("PATCH", `/v1/memories/${id}`, { version, ...change })).toMatchObject({ status: 403 })
      const withoutScope = await owner.withToken(["read", "write"])
      expect((await withoutScope.ask("PATCH", `/v1/memories/${id}`, { version, status: "active" })).status).toBe(403)
      expect((await owner.ask("GET", `/api/items/${id}`)).body.mayConfirm).toBe(true)
      expect((await kim.ask("GET", `/api/items/${id}`)).body.mayConfirm).toBeUndefined()
      const confirmed = await owner.ask("PATCH", `/v1/memories/${id}`, { version, status: "active" })
      expect(confirmed.body).toMatchObject({ status: "active", origin: "user", trust: 3 })
      const context = (await lee.ask("POST", "/v1/context", { project, task: "when is mail sent" })).body.text
      expect(context).toContain("proven · a member's words")
      const back = await owner.ask("PATCH", `/v1/memories/${id}`, { version: version + 1, status: "provisional" })
      expect(back.body).toMatchObject({ status: "provisional", origin: "import", trust: 0 })
    })

    test("a new text does not inherit confirmation or earned status", async () => {
      const { id, version } = await share(kim, { text: "Backups are kept a week", sourceMemory: "m-words" })
      await owner.ask("PATCH", `/v1/memories/${id}`, { version, status: "active" })
      const change = { version: version + 1, text: "Backups are never needed" }
      expect(await kim.ask("PATCH", `/v1/memories/${id}`, change)).toMatchObject({ status: 403 })
      expect((await kim.ask("GET", `/api/items/${id}`)).body.can.edit).toMatch(/you can replace it/)
      const body = { version: String(version + 1), title: "", markdown: "Backups are kept a month" }
      const replaced = await kim.ask("POST", `/api/items/${id}/supersede`, body)
      expect(await read(replaced.body.id)).toMatchObject({
        status: "provisional",
        origin: "import",
        trust: 0,
        confidence: 0.6,
      })
    })

    test("a member cannot prove their own memory, however often they report that it helped", async () => {
      const { id } = await share(kim, {
        text: "Logs are read with jq",
        sourceMemory: "m-own",
        created: new Date().toISOString(),
      })
      const told = await tell(kim, uses(id, 50))
      expect(told).toEqual({ taken: 0, known: 0, ignored: 50 })
      await evaluate()
      expect(await read(id)).toMatchObject({ status: "provisional", metrics: { hits: 0, useCount: 0 } })
      expect(await tell(lee, uses(id, 6))).toEqual({ taken: 6, known: 0, ignored: 0 })
      await evaluate()
      expect(await read(id)).toMatchObject({ status: "active", origin: "import", metrics: { hits: 6 } })
    })

    test("a member's reports on one memory are limited per day, whatever times and figures they claim", async () => {
      const { id } = await share(kim, { text: "Caches are warmed at six", sourceMemory: "m-cap" })
      const years = Array.from({ length: 30 }, (_, at) => ({ at: `20${at + 10}-01-01T00:00:00.000Z` }))
      const events = uses(id, 30).map((event, at) => ({ ...event, ...years[at], regretSaved: 1000, netRegret: 1000 }))
      expect(await tell(lee, events)).toEqual({ taken: 20, known: 0, ignored: 10 })
      expect(await tell(lee, uses(id, 5, "more"))).toEqual({ taken: 0, known: 0, ignored: 5 })
      const { metrics } = await read(id)
      expect(metrics).toMatchObject({ hits: 20, regretSaved: 400 })
      server.pass(86_400_000)
      expect(await tell(lee, uses(id, 1, "tomorrow"))).toEqual({ taken: 1, known: 0, ignored: 0 })
    })

    test("reports on memories that do not exist, or are not visible to the member, leave nothing behind", async () => {
      const team = (await owner.ask("POST", "/v1/teams", { name: "Payments" })).body.id
      const theirs = await share(owner, { text: "Payouts are on Friday", sourceMemory: "m-theirs", team })
      const count = async () => {
        const tables = ["use_events", "tasks", "memory_uses"]
        const { rows } = await server.driver.within(wholeOf("acme"), "read", (ask) =>
          ask(`SELECT ${tables.map((name) => `(SELECT count(*) FROM ${name})`).join(" + ")} AS count`),
        )
        return rows[0]?.count
      }
      const before = await count()
      expect(await tell(kim, uses("m-0000000000000000", 40))).toEqual({ taken: 0, known: 0, ignored: 40 })
      expect(await tell(kim, uses(theirs.id, 5))).toEqual({ taken: 0, known: 0, ignored: 5 })
      expect(await count()).toEqual(before)
    })
  },
)

function uses(memory: string, count: number, name = "use"): UseEvent[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ key: `${memory} ${name} ${at}`, task: `${name} ${at}`, memory, project, at: "2026-03-02T09:00:00.000Z" },
    ...{ injected: true, exposed: true, cited: true, outcome: "hit" as const, regretSaved: 1, netRegret: 1 },
  }))
}
