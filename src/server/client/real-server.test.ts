import type { AddressInfo } from "node:net"
import { serve } from "@hono/node-server"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findPostgres } from "../../../scripts/postgres/find-postgres.ts"
import { add, learnOne, minute } from "../../memories/test-store.ts"
import { startTestServer, type TestMember, type TestServer } from "../test-team-server.ts"
import { testTeam } from "./test-team.ts"

describe.skipIf(findPostgres() === undefined)("client and team server (needs a PostgreSQL server installed)", () => {
  let server: TestServer
  let owner: TestMember
  let url: string
  let listening: ReturnType<typeof serve>
  beforeAll(async () => {
    server = await startTestServer()
    owner = await server.organisation("acme")
    listening = serve({ fetch: server.app.fetch, port: 0, hostname: "127.0.0.1" })
    await new Promise((resolve) => listening.once("listening", resolve))
    url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    await new Promise((resolve) => listening?.close(resolve))
    await server?.close()
  })

  async function member(name: string, teams: string[] = []) {
    const token = await (await owner.invite(name, "member", teams)).withToken(["read", "write"])
    const here = testTeam()
    const { syncing } = await here.team.login({ server: url, token: token.secret })
    return { ...here, syncing, token, member: token.me.member.id }
  }

  test("a memory shared by one member reaches another member of the team, and its use is reported back", async () => {
    const team = (await owner.ask("POST", "/v1/teams", { name: "Payments" })).body
    const [kim, ada] = [await member("Kim", [team.id]), await member("Ada", [team.id])]
    const outsider = await member("Noor")
    const id = await learnOne(kim.store, "a", add("Run the payment tests with a clean database."))
    const { shared, refused } = await kim.team.share(await kim.team.planShare([id], { team: "Payments" }))
    expect(refused).toEqual([])
    const copy = shared[0]?.copy ?? ""
    expect(await ada.team.sync()).toMatchObject({ added: [copy], problem: undefined })
    expect(await ada.store.find(copy)).toMatchObject([
      { contributedBy: "Kim (team Payments)", sourceMemory: id, owner: { type: "team", id: team.id } },
    ])
    expect(await outsider.team.sync()).toMatchObject({ added: [], problem: undefined })

    const task = { task: "t-1", project: "p-one", session: "s", agent: undefined, taskHash: "h", ts: minute(1) }
    await ada.store.recordTask({ ...task, memories: [{ id: copy, injected: true, rank: 1, score: 1 }] })
    await ada.store.reportOutcome({
      ...{ project: "p-one", task: "t-1", outcome: "success" },
      ...{ helped: [copy], wrong: [], ts: minute(2) },
    })
    expect(await ada.team.sync()).toMatchObject({ uses: 2, problem: undefined, refused: [] })
    const { body } = await kim.token.ask("GET", `/v1/memories/${copy}`)
    expect(body.memory.metrics).toMatchObject({ useCount: 1, hits: 1 })

    const late = await owner.ask("PATCH", `/v1/memories/${copy}`, { version: body.memory.version, pinned: true })
    expect(late.status).toBe(200)
    expect(await ada.team.sync()).toMatchObject({ changed: [copy] })
    expect((await ada.store.find(copy))[0]?.pinned).toBe(true)

    expect(await ada.team.unshare([copy])).toMatchObject({ unshared: [], refused: [{ memory: copy }] })
    expect(await kim.team.unshare([id])).toMatchObject({ unshared: [id], refused: [] })
    expect(await ada.team.sync()).toMatchObject({ removed: [copy] })
    expect(await ada.store.memories({})).toEqual([])
  })

  test("a new text on the server is another memory here, and it can still be withdrawn by the first one's name", async () => {
    const [kim, ada] = [await member("Kai"), await member("Ana")]
    const id = await learnOne(kim.store, "a", add("Deploy the shop on Mondays."))
    const { shared } = await kim.team.share(await kim.team.planShare([id]))
    const copy = shared[0]?.copy ?? ""
    const { version } = (await owner.ask("GET", `/v1/memories/${copy}`)).body.memory
    const text = "Deploy the shop on Tuesdays."
    await owner.ask("PATCH", `/v1/memories/${copy}`, { version, text })
    expect(await ada.team.sync()).toMatchObject({ problem: undefined })
    expect(await ada.store.memories({})).toMatchObject([{ text, contributedBy: "Kai (The acme)" }])
    await kim.team.sync()
    expect(await kim.team.unshare([id])).toMatchObject({ unshared: [id], refused: [] })
    await ada.team.sync()
    expect(await ada.store.memories({})).toEqual([])
  })

  test("a read-only token gets the team's memory, and a revoked one says how to continue", async () => {
    const viewer = await (await owner.invite("Vic", "viewer")).withToken(["read"])
    const { store, team } = testTeam()
    expect((await team.login({ server: url, token: viewer.secret })).syncing.problem).toBeUndefined()
    const id = await learnOne(store, "a", add("Keep the invoices for ten years."))
    expect(await team.share(await team.planShare([id]))).toMatchObject({ shared: [], refused: [{ memory: id }] })
    server.pass(200 * 86_400_000)
    expect((await team.sync()).problem?.hint).toBe(`Sign in again: drey team login ${url}`)
    server.pass(-200 * 86_400_000)
  })

  test("a member who shared with a team and then with everyone can withdraw it after leaving the team", async () => {
    const team = (await owner.ask("POST", "/v1/teams", { name: "Billing" })).body
    const [lou, max] = [await member("Lou", [team.id]), await member("Max")]
    const wide = await learnOne(lou.store, "a", add("Invoices are numbered by year."))
    const narrow = await learnOne(lou.store, "b", add("Write the billing tests in French."))
    await lou.team.share(await lou.team.planShare([wide, narrow], { team: "Billing" }))
    const { shared } = await lou.team.share(await lou.team.planShare([wide]))
    expect(await lou.store.find(shared[0]?.copy ?? "")).toMatchObject([{ owner: { type: "org", id: "acme" } }])
    expect((await max.team.sync()).added).toContain(shared[0]?.copy)
    await owner.ask("DELETE", `/v1/teams/${team.id}/members/${lou.member}`)
    expect((await lou.team.sync()).removed).toHaveLength(1)
    expect(await lou.team.unshare([narrow])).toMatchObject({ unshared: [narrow], refused: [] })
    const { memories } = (await owner.ask("GET", "/v1/memories?status=deprecated")).body
    const ended = memories.map(({ text }: { text: string }) => text)
    expect(ended).toContain("Write the billing tests in French.")
    expect(ended).not.toContain("Invoices are numbered by year.")
  })
})
