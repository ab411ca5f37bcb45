import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findPostgres } from "../../scripts/postgres/find-postgres.ts"
import type { TeamMemory } from "./api.ts"
import { share, shared, startTestServer, type TestMember, type TestServer } from "./test-team-server.ts"

describe.skipIf(findPostgres() === undefined)("the team server (needs a PostgreSQL server installed)", () => {
  let server: TestServer
  let acme: TestMember
  let other: TestMember
  beforeAll(async () => {
    server = await startTestServer()
    acme = await server.organisation("acme")
    other = await server.organisation("other")
  })
  afterAll(() => server?.close())

  test("a member's memory is shared once, under their name, however often they share it", async () => {
    const kim = await acme.invite("Kim", "member")
    const token = await kim.withToken(["read", "write"])
    const first = await token.ask("POST", "/v1/memories", shared())
    expect(first).toMatchObject({ status: 201, body: { contributedBy: "Kim", owner: { type: "org", id: "acme" } } })
    const again = await token.ask("POST", "/v1/memories", shared())
    expect(again).toMatchObject({ status: 200, body: { id: first.body.id } })
    const found = await acme.ask("POST", "/v1/search", { q: "payment tests", project: "github.com/acme/shop" })
    expect(found.body.hits).toMatchObject([{ id: first.body.id, contributedBy: "Kim" }])
  })

  test("a secret in a share is refused, and appears in no response and no log", async () => {
    const canary = `AKIA${"QWERTYUIOPASDFGH"}`
    const text = `The key is aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzQ8eXmq12X ${canary}`
    const refused = await acme.ask("POST", "/v1/memories", shared({ text, sourceMemory: "m-secret" }))
    expect(refused).toMatchObject({ status: 422, body: { code: "withheld" } })
    expect(JSON.stringify(refused.body) + server.log.join("")).not.toContain(canary)
  })

  test("one key has one memory", async () => {
    const fact = { kind: "invariant", key: "project.test.command" } as const
    const first = await share(acme, { ...fact, text: "Tests run with npm test", sourceMemory: "m-k1" })
    const clash = await acme.ask(
      "POST",
      "/v1/memories",
      shared({ ...fact, text: "Tests run with make", sourceMemory: "m-k2" }),
    )
    expect(clash).toMatchObject({ status: 409, body: { code: "key-taken", current: { id: first.id } } })
  })

  test("a change of a memory that was changed meanwhile shows its current content", async () => {
    const { id, version } = await share(acme, { text: "Deploys go out on Mondays", sourceMemory: "m-c1" })
    const pinned = await acme.ask("PATCH", `/v1/memories/${id}`, { version, pinned: true })
    expect(pinned).toMatchObject({ status: 200, body: { pinned: true } })
    const late = await acme.ask("PATCH", `/v1/memories/${id}`, { version, text: "Deploys go out on Fridays" })
    expect(late).toMatchObject({ status: 409, body: { code: "changed", current: { id, pinned: true } } })
    const worded = await acme.ask("PATCH", `/v1/memories/${id}`, {
      version: pinned.body.version,
      text: "Deploys go out on Tuesdays",
    })
    expect(worded).toMatchObject({
      status: 200,
      body: { text: "Deploys go out on Tuesdays", contributedBy: "Owner of acme" },
    })
    expect(
      await acme.ask("POST", "/v1/memories", shared({ text: "Deploys go out on Mondays", sourceMemory: "m-c1" })),
    ).toMatchObject({
      status: 200,
      body: { id: worded.body.id },
    })
  })

  test("only the contributor and administrators can end a shared memory", async () => {
    const [ann, bob] = [await acme.invite("Ann", "member"), await acme.invite("Bob", "member")]
    const { id } = await share(ann, { text: "Ann found the flaky test in billing", sourceMemory: "m-a1" })
    expect(await bob.ask("DELETE", `/v1/memories/${id}`, { reason: "no" })).toMatchObject({ status: 403 })
    expect(await ann.ask("DELETE", `/v1/memories/${id}`, { reason: "wrong", purge: true })).toMatchObject({
      status: 403,
    })
    expect(await ann.ask("DELETE", `/v1/memories/${id}`, { reason: "wrong" })).toMatchObject({ status: 204 })
    expect(await acme.ask("DELETE", `/v1/memories/${id}`, { reason: "wrong", purge: true })).toMatchObject({
      status: 204,
    })
    expect(await acme.ask("GET", `/v1/memories/${id}`)).toMatchObject({ status: 404 })
  })

  test("changes arrive in order, once, and ended memories are named", async () => {
    const org = await server.organisation("changing")
    const one = await share(org, { text: "The first rule of the build", sourceMemory: "m-1" })
    const two = await share(org, { text: "Another thing about caching", sourceMemory: "m-2" })
    await share(org, { text: "Only for the other project", sourceMemory: "m-3", project: "p-other" })
    const query = "project=github.com/acme/shop"
    const page = await org.ask("GET", `/v1/changes?since=0&${query}&limit=1`)
    expect(page.body).toMatchObject({ memories: [{ id: one.id }], more: true })
    const rest = await org.ask("GET", `/v1/changes?since=${page.body.next}&${query}`)
    expect(rest.body).toMatchObject({ memories: [{ id: two.id }], removed: [], more: false })
    await org.ask("DELETE", `/v1/memories/${one.id}`, { reason: "wrong" })
    const last = await org.ask("GET", `/v1/changes?since=${rest.body.next}&${query}`)
    expect(last.body).toMatchObject({ memories: [], removed: [one.id], more: false })
  })

  test("a page of changes is never longer than requested, even if one step changed many", async () => {
    const org = await server.organisation("renaming")
    const ann = await org.invite("Ann", "member")
    for (const word of ["alpha", "beta", "gamma", "delta", "epsilon"])
      await share(ann, { text: `A rule about ${word}`, sourceMemory: `m-${word}` })
    const { body: before } = await org.ask("GET", "/v1/changes?project=github.com/acme/shop")
    await org.ask("PATCH", `/v1/members/${ann.me.member.id}`, { name: "Anne" })
    const seen: string[] = []
    const sizes: number[] = []
    for (let page = { next: before.next, more: true }; page.more; ) {
      const { body } = await org.ask("GET", `/v1/changes?project=github.com/acme/shop&since=${page.next}&limit=2`)
      seen.push(...body.memories.map(({ id, contributedBy }: TeamMemory) => `${id} ${contributedBy}`))
      sizes.push(body.memories.length)
      page = body
    }
    expect(sizes).toEqual([2, 2, 1])
    expect(seen.sort()).toEqual(before.memories.map(({ id }: TeamMemory) => `${id} Anne`).sort())
  })

  test("a team's memory is visible only to its members, and follows joining and leaving", async () => {
    const org = await server.organisation("teams")
    const { body: team } = await org.ask("POST", "/v1/teams", { name: "Payments" })
    const [kim, lee] = [await org.invite("Kim", "member", [team.id]), await org.invite("Lee", "member")]
    const memory = await share(kim, { text: "Refunds need two approvals", team: team.id })
    expect(await lee.ask("GET", `/v1/memories/${memory.id}`)).toMatchObject({ status: 404 })
    expect((await lee.ask("POST", "/v1/search", { q: "refunds approvals" })).body.hits).toEqual([])
    expect(await lee.ask("POST", "/v1/memories", shared({ team: team.id }))).toMatchObject({ status: 404 })
    const before = await lee.ask("GET", "/v1/changes?project=github.com/acme/shop")
    expect(before.body.memories).toEqual([])
    await org.ask("PUT", `/v1/teams/${team.id}/members/${lee.me.member.id}`)
    const joined = await lee.ask("GET", `/v1/changes?project=github.com/acme/shop&since=${before.body.next}`)
    expect(joined.body.memories).toMatchObject([{ id: memory.id, contributedBy: "Kim" }])
    await org.ask("DELETE", `/v1/teams/${team.id}/members/${lee.me.member.id}`)
    const left = await lee.ask("GET", `/v1/changes?project=github.com/acme/shop&since=${joined.body.next}`)
    expect(left.body).toMatchObject({ memories: [], removed: [memory.id] })
  })

  test("a use counts once, however often it is reported", async () => {
    const kit = await acme.invite("Kit", "member")
    const { id } = await share(kit, { text: "Use the staging database for dry runs", sourceMemory: "m-u1" })
    const use = {
      memory: id,
      project: "github.com/acme/shop",
      at: "2026-03-02T09:00:00.000Z",
      exposed: true,
      cited: false,
    }
    const figures = { regretSaved: 1.5, netRegret: 1 }
    const event = (key: string, task: string, outcome: string | null) => ({
      ...use,
      ...figures,
      key,
      task,
      outcome,
      injected: true,
    })
    const events = [event("a", "t-1", null), event("b", "t-1", "hit"), event("c", "t-2", "helped")]
    expect((await acme.ask("POST", "/v1/uses", { events })).body).toEqual({ taken: 3, known: 0, ignored: 0 })
    expect((await acme.ask("POST", "/v1/uses", { events: [...events, events[0]] })).body).toEqual({
      taken: 0,
      known: 4,
      ignored: 0,
    })
    const { body } = await acme.ask("GET", `/v1/memories/${id}`)
    expect(body.memory.metrics).toMatchObject({ useCount: 2, opportunities: 2, hits: 2, regretSaved: 4.5 })
  })

  test("a context consists of the team's memories, each with its contributor, and is recorded in the ledger", async () => {
    const org = await server.organisation("asking")
    const kim = await org.invite("Kim", "member")
    const memory = await share(kim, {
      text: "Never run migrations against production by hand",
      kind: "guard",
      polarity: -1,
    })
    const question = { project: "github.com/acme/shop", task: "Run the database migrations on production" }
    const { body } = await org.ask("POST", "/v1/context", question)
    expect(body.included).toMatchObject([{ id: memory.id, contributedBy: "Kim" }])
    expect(body.text).toContain("Never run migrations")
    await server.parts.notes.close()
    expect((await org.ask("GET", `/v1/memories/${memory.id}`)).body.memory.metrics).toMatchObject({ useCount: 1 })
  })

  test("another organisation sees nothing of it", async () => {
    const memory = await share(acme, { text: "The canary sings at midnight", sourceMemory: "m-canary" })
    expect(await other.ask("GET", `/v1/memories/${memory.id}`)).toMatchObject({ status: 404 })
    expect(await other.ask("DELETE", `/v1/memories/${memory.id}`, { reason: "mine" })).toMatchObject({ status: 404 })
    expect((await other.ask("POST", "/v1/search", { q: "canary midnight" })).body.hits).toEqual([])
  })

  test("an export contains every row except secrets, and marks its end; a deleted organisation is gone, the others stay", async () => {
    const org = await server.organisation("leaving")
    const token = await org.withToken(["read", "write", "admin"])
    const memory = await share(org, { text: "What leaves is carried along" })
    const exported: string = (await org.ask("GET", "/v1/org/export")).body
    const lines = exported
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(lines.at(-1)).toMatchObject({ end: true, counts: { memories: 1, members: 1, tokens: 1 } })
    expect(lines.find(({ table }) => table === "memories").row).toMatchObject({
      memory_id: memory.id,
      text: memory.text,
    })
    expect(exported).not.toMatch(/"hash"|canary/)
    expect(await org.ask("DELETE", "/v1/org", { confirm: "nearly" })).toMatchObject({ status: 400 })
    expect(await org.ask("DELETE", "/v1/org", { confirm: "leaving" })).toMatchObject({
      status: 200,
      body: { rows: { memories: 1 } },
    })
    expect(await token.ask("GET", "/v1/me")).toMatchObject({ status: 401 })
    expect((await acme.ask("GET", "/v1/org")).body.memories).toBeGreaterThan(0)
  })

  test("no log line contains requests or responses", () => {
    const log = server.log.join("")
    expect(log).toContain('"route":"/v1/search"')
    expect(log).not.toMatch(/canary|payment|drey_pat_[a-z]+_|drey_in_[a-z]+_/)
  })
})
