import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findPostgres } from "../../../scripts/postgres/find-postgres.ts"
import { share, shared, startTestServer, type TestMember, type TestServer } from "../test-team-server.ts"

describe.skipIf(findPostgres() === undefined)("sharing and withdrawing (needs a PostgreSQL server installed)", () => {
  let server: TestServer
  let owner: TestMember
  let payments: string
  let search: string
  beforeAll(async () => {
    server = await startTestServer()
    owner = await server.organisation("acme")
    payments = (await owner.ask("POST", "/v1/teams", { name: "Payments" })).body.id
    search = (await owner.ask("POST", "/v1/teams", { name: "Search" })).body.id
  })
  afterAll(() => server?.close())

  const leave = (member: TestMember, team: string) =>
    owner.ask("DELETE", `/v1/teams/${team}/members/${member.me.member.id}`)

  const changes = async (member: TestMember, since = 0) =>
    (await member.ask("GET", `/v1/changes?project=github.com/acme/shop&since=${since}`)).body

  test("a team's memory shared with everyone belongs to everyone, and to another team when its contributor shares it there", async () => {
    const [ann, bob] = [await owner.invite("Ann", "member", [payments]), await owner.invite("Bob", "member")]
    const given = { text: "Refunds need two approvals", sourceMemory: "m-wider" }
    const first = await share(ann, { ...given, team: payments })
    const before = await changes(bob)
    const wider = await ann.ask("POST", "/v1/memories", shared(given))
    expect(wider).toMatchObject({
      status: 200,
      body: { id: first.id, owner: { type: "org" }, version: first.version + 1, contributedBy: "Ann" },
    })
    const seen = await changes(bob, before.next)
    expect(seen.memories).toMatchObject([{ id: first.id }])
    const { audit } = (await bob.ask("GET", `/v1/memories/${first.id}`)).body.history
    expect(audit.at(-1)).toMatchObject({ action: "shared", reason: "Ann shared it with everyone" })
    const hits = async () => (await bob.ask("POST", "/v1/search", { q: "refunds approvals" })).body.hits
    expect(await hits()).toMatchObject([{ id: first.id }])
    await ann.ask("POST", "/v1/memories", shared({ ...given, team: payments }))
    expect(await hits()).toEqual([])
    expect((await changes(bob, seen.next)).removed).toEqual([first.id])
    await owner.ask("PUT", `/v1/teams/${payments}/members/${bob.me.member.id}`)
    expect((await changes(bob, seen.next)).memories).toMatchObject([{ id: first.id }])
  })

  test("a memory that another member has already shared there is stored once", async () => {
    const [cat, dan] = [await owner.invite("Cat", "member", [search]), await owner.invite("Dan", "member", [search])]
    const text = "Synonyms are loaded at start"
    const twin = await share(dan, { text, sourceMemory: "m-twin", team: search })
    const own = await share(cat, { text, sourceMemory: "m-own" })
    const moved = await cat.ask("POST", "/v1/memories", shared({ text, sourceMemory: "m-own", team: search }))
    expect(moved).toMatchObject({ status: 200, body: { id: twin.id } })
    const { memory } = (await owner.ask("GET", `/v1/memories/${own.id}`)).body
    expect(memory.status).toBe("deprecated")
  })

  test("a member who has left a team withdraws what they shared there, by its name or their own, and others learn nothing of it", async () => {
    const [eve, fay] = [await owner.invite("Eve", "member", [payments]), await owner.invite("Fay", "member")]
    const one = await share(eve, { text: "Chargebacks are filed weekly", sourceMemory: "m-left-1", team: payments })
    const two = await share(eve, { text: "Payouts wait for the bank", sourceMemory: "m-left-2", team: payments })
    await leave(eve, payments)
    expect(await fay.ask("DELETE", `/v1/memories/${one.id}`, { reason: "no" })).toMatchObject({ status: 404 })
    expect(await fay.ask("DELETE", "/v1/memories/m-left-1", { reason: "no" })).toMatchObject({ status: 404 })
    expect(await eve.ask("DELETE", `/v1/memories/${one.id}`, { reason: "mine" })).toMatchObject({ status: 204 })
    expect(await eve.ask("DELETE", "/v1/memories/m-left-2", { reason: "mine" })).toMatchObject({ status: 204 })
    for (const { id } of [one, two])
      expect((await owner.ask("GET", `/v1/memories/${id}`)).body.memory.status).toBe("deprecated")
  })

  test("a member can share with everyone what they shared with a team they have left", async () => {
    const gus = await owner.invite("Gus", "member", [payments])
    const given = { text: "Invoices are numbered by year", sourceMemory: "m-again" }
    const { id } = await share(gus, { ...given, team: payments })
    await leave(gus, payments)
    expect(await gus.ask("POST", "/v1/memories", shared(given))).toMatchObject({
      status: 200,
      body: { id, owner: { type: "org", id: "acme" } },
    })
  })

  test("an edit by the team that the contributor has left stays the team's", async () => {
    const ivy = await owner.invite("Ivy", "member", [payments])
    const given = { text: "Taxes are rounded down", sourceMemory: "m-theirs" }
    const { id, version } = await share(ivy, { ...given, team: payments })
    await owner.ask("PATCH", `/v1/memories/${id}`, { version, text: "Taxes are rounded to the nearest cent" })
    await leave(ivy, payments)
    const refused = await ivy.ask("POST", "/v1/memories", shared(given))
    expect(refused).toMatchObject({ status: 409, body: { code: "replaced" } })
    expect(JSON.stringify(refused.body)).not.toContain("nearest")
  })

  test("a memory that was edited twice is withdrawn under its first name", async () => {
    const hal = await owner.invite("Hal", "member")
    const { id, version } = await share(hal, { text: "Carts expire after a day", sourceMemory: "m-heir" })
    const second = await owner.ask("PATCH", `/v1/memories/${id}`, { version, text: "Carts expire after two days" })
    const third = await owner.ask("PATCH", `/v1/memories/${second.body.id}`, {
      version: second.body.version,
      text: "Carts expire after a week",
    })
    expect(third.status).toBe(200)
    const again = shared({ text: "Carts expire after a day", sourceMemory: "m-heir" })
    expect(await hal.ask("POST", "/v1/memories", again)).toMatchObject({ status: 200, body: { id: third.body.id } })
    expect(await hal.ask("DELETE", `/v1/memories/${id}`, { reason: "wrong" })).toMatchObject({ status: 204 })
    const { memory } = (await owner.ask("GET", `/v1/memories/${third.body.id}`)).body
    expect(memory.status).toBe("deprecated")
  })

  test("a permanently deleted memory cannot be shared again in its project under another name", async () => {
    const [joe, kay] = [await owner.invite("Joe", "member"), await owner.invite("Kay", "member")]
    const text = "The vault is opened by the night shift"
    const { id } = await share(joe, { text, sourceMemory: "m-vault" })
    await owner.ask("DELETE", `/v1/memories/${id}`, { reason: "private", purge: true })
    const purged = { status: 410, body: { code: "purged" } }
    expect(await joe.ask("POST", "/v1/memories", shared({ text, sourceMemory: "m-vault" }))).toMatchObject(purged)
    expect(await joe.ask("POST", "/v1/memories", shared({ text, sourceMemory: "m-other" }))).toMatchObject(purged)
    expect(await kay.ask("POST", "/v1/memories", shared({ text, sourceMemory: "m-kay" }))).toMatchObject(purged)
    await share(kay, { text, sourceMemory: "m-kay", project: "github.com/acme/bank" })
  })
})
