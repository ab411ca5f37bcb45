import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findPostgres } from "../../../scripts/postgres/find-postgres.ts"
import type {
  About,
  Changed,
  ContextAnswer,
  Detail,
  Items,
  Overview,
  TimelineAnswer,
} from "../../recall/browse/app-api.ts"
import { share, startTestServer, type TestMember, type TestServer } from "../test-team-server.ts"

const shop = "github.com/acme/shop"

describe.skipIf(findPostgres() === undefined)("the browser app of a team (needs a PostgreSQL server installed)", () => {
  let server: TestServer
  let owner: TestMember
  let kim: TestMember
  let team: string
  beforeAll(async () => {
    server = await startTestServer()
    owner = await server.organisation("acme")
    team = (await owner.ask("POST", "/v1/teams", { name: "Payments" })).body.id
    kim = await owner.invite("Kim", "member", [team])
  })
  afterAll(() => server?.close())

  const get = async <Body>(member: TestMember, path: string): Promise<Body> => {
    const { status, body } = await member.ask("GET", path)
    if (status !== 200) throw new Error(`${path} was answered with ${status}: ${JSON.stringify(body)}`)
    return body
  }
  const find = (member: TestMember, q: string, limit = 50, offset = 0) =>
    get<Items>(member, `/api/items?${new URLSearchParams({ q, limit: String(limit), offset: String(offset) })}`)
  const detail = (member: TestMember, id: string) => get<Detail>(member, `/api/items/${id}`)
  let made = 0
  const remember = (member: TestMember, text: string, given: Parameters<typeof share>[1] = {}) =>
    share(member, { text, sourceMemory: `m-app-${made++}`, ...given })

  test("the app learns who is signed in and which pages exist", async () => {
    expect(await get<About>(kim, "/api/about")).toMatchObject({
      project: "The acme",
      places: ["/", "/explorer", "/context", "/timeline", "/admin"],
      team: { organisation: "The acme", slug: "acme", member: "Kim", role: "member" },
    })
    const nobody = await server.app.request("http://127.0.0.1:4848/api/about")
    expect([nobody.status, await nobody.json()]).toEqual([401, expect.objectContaining({ code: "signed-out" })])
  })

  test("memories are found by words and by every filter, and counted", async () => {
    const guard = await remember(kim, "Never run pnpm dedupe in the shop", { kind: "guard", polarity: -1, team })
    await remember(owner, "Run the invoice tests with two workers", { created: "2025-06-01T09:00:00.000Z" })
    await remember(owner, "Dates of the API are UTC", {
      kind: "invariant",
      key: "project.test.command",
      project: null,
      scope: "global",
      status: "provisional",
    })
    await owner.ask("PATCH", `/v1/memories/${guard.id}`, { version: 1, status: "active" })
    const titles = async (q: string) => (await find(kim, q)).rows.map(({ title }) => title)
    expect(await titles("dedupe")).toEqual(["Never run pnpm dedupe in the shop"])
    expect((await find(kim, "dedupe")).rows[0]).toMatchObject({ id: guard.id, author: "Kim", status: "proven" })
    expect(await titles("type:guard")).toEqual(["Never run pnpm dedupe in the shop"])
    expect(await titles(`author:kim tag:${shop}`)).toEqual(["Never run pnpm dedupe in the shop"])
    expect(await titles("-author:Kim before:2026-01-01")).toEqual(["Run the invoice tests with two workers"])
    expect(await titles("tag:project.test.command")).toEqual(["Dates of the API are UTC"])
    expect(await titles("status:on-trial type:invariant type:guard")).toEqual(["Dates of the API are UTC"])
    expect(await titles("invoice -author:Kim type:pattern")).toEqual(["Run the invoice tests with two workers"])
    expect(await titles("-dedupe -invoice scope:global")).toEqual(["Dates of the API are UTC"])
    expect((await find(kim, "source:decisions")).total).toBe(0)
    const { total, rows, facets } = await find(kim, "", 0)
    expect([total, rows]).toEqual([3, []])
    expect(facets).toMatchObject({
      type: expect.arrayContaining([{ value: "guard", count: 1 }]),
      author: [
        { value: "Owner of acme", count: 2 },
        { value: "Kim", count: 1 },
      ],
      tag: [
        { value: shop, count: 2 },
        { value: "project.test.command", count: 1 },
      ],
      status: [
        { value: "on trial", count: 2 },
        { value: "proven", count: 1 },
      ],
    })
    expect((await find(kim, "", 1, 2)).rows).toMatchObject([{ title: "Run the invoice tests with two workers" }])
    expect((await find(kim, "tpye:guard")).problems).toMatchObject([{ start: 0 }])
  })

  test("a percent sign or an underscore in a query is not a wildcard", async () => {
    const one = await remember(owner, "The cache holds 80% of snake_case names", { project: "github.com/acme/wild" })
    await owner.ask("POST", `/api/items/${one.id}/forget`, { version: "1" })
    const found = async (words: string) => (await find(owner, `status:ended tag:github.com/acme/wild ${words}`)).total
    expect([await found("80%"), await found("8%_"), await found("snake_case"), await found("snake-case")]).toEqual([
      1, 0, 1, 0,
    ])
  })

  test("a team's memory is shown only to its members and to administrators", async () => {
    const secret = await remember(kim, "The settlement job must not be retried by hand", { team })
    const outsider = await owner.invite("Noor", "member")
    expect((await find(outsider, "settlement")).total).toBe(0)
    expect((await outsider.ask("GET", `/api/items/${secret.id}`)).status).toBe(404)
    expect((await find(owner, "settlement")).total).toBe(1)
    expect((await detail(kim, secret.id)).fields).toContainEqual({ name: "Shared by", value: "Kim, team Payments" })
  })

  test("the contributor and administrators can change a memory, and others get the reason why not", async () => {
    const { id } = await remember(kim, "Payments are settled at midnight UTC")
    const viewer = await owner.invite("Vic", "viewer")
    const other = await owner.invite("Olu", "member")
    expect((await detail(kim, id)).can.edit).toBe(true)
    expect((await detail(owner, id)).can.forget).toBe(true)
    expect((await detail(viewer, id)).can.edit).toBe("Viewers have read-only access.")
    expect((await detail(other, id)).can.edit).toMatch(/Only the member who shared it/)
    expect((await viewer.ask("POST", `/api/items/${id}/pin`, { version: "1", pinned: true })).status).toBe(403)
    expect((await other.ask("POST", `/api/items/${id}/pin`, { version: "1", pinned: true })).status).toBe(403)
  })

  test("a new text is a new memory linked to the old one, and can be undone", async () => {
    const { id } = await remember(kim, "Refunds take three days")
    const edited = await kim.ask("POST", `/api/items/${id}/edit`, { version: "1", markdown: "Refunds take two days" })
    const changed: Changed = edited.body
    expect(changed).toMatchObject({ summary: "Edited: Refunds take two days", undo: { key: expect.any(String) } })
    const now = await detail(kim, changed.id ?? "")
    expect(now).toMatchObject({ markdown: "Refunds take two days", older: [{ id }], newer: [] })
    expect(now.related.edges).toContainEqual({ from: changed.id, to: id, kind: "supersedes" })
    expect(await detail(kim, id)).toMatchObject({ row: { status: "ended" }, newer: [{ id: changed.id }] })
    const undone = await kim.ask("POST", "/api/undo", { key: changed.undo?.key })
    expect(undone).toMatchObject({ status: 200, body: { id, summary: "Undone" } })
    expect(await detail(kim, id)).toMatchObject({ row: { status: "on trial" }, newer: [] })
    expect((await kim.ask("POST", "/api/undo", { key: changed.undo?.key })).status).toBe(409)
  })

  test("a replacement belongs to its own author", async () => {
    const { id } = await remember(kim, "Invoices are numbered per year")
    const body = { version: "1", title: "", markdown: "Invoices are numbered per month", reason: "the law has changed" }
    const { body: changed } = await owner.ask("POST", `/api/items/${id}/supersede`, body)
    const now = await detail(owner, changed.id)
    expect(now.row).toMatchObject({ author: "Owner of acme", status: "on trial" })
    expect(now.learned?.history).toContainEqual(expect.objectContaining({ action: "added", reason: body.reason }))
    expect((await detail(kim, changed.id)).can.edit).toMatch(/Only the member who shared it/)
  })

  test("the second of two changes gets a conflict, and nothing is overwritten", async () => {
    const { id } = await remember(kim, "Cards are charged twice at most")
    await owner.ask("POST", `/api/items/${id}/pin`, { version: "1", pinned: true })
    const late = await kim.ask("POST", `/api/items/${id}/edit`, { version: "1", markdown: "Cards are charged once" })
    expect(late).toMatchObject({
      status: 409,
      body: { error: "It was changed in the meantime. Reload and try again." },
    })
    expect(await detail(kim, id)).toMatchObject({ markdown: "Cards are charged twice at most", row: { pinned: true } })
  })

  test("a secret and a text that would be truncated are refused", async () => {
    const { id } = await remember(kim, "The mail server is slow on Mondays")
    const edit = (markdown: string) => kim.ask("POST", `/api/items/${id}/edit`, { version: "1", markdown })
    expect(await edit("long ".repeat(100))).toMatchObject({ status: 422, body: { error: /at most 300/ } })
    const secret = `The key is aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzQ8eXmq12X AKIA${"QWERTYUIOPASDFGH"}`
    const refused = await edit(secret)
    expect([refused.status, JSON.stringify(refused.body).includes("AKIA")]).toEqual([422, false])
  })

  test("the overview counts the memories, and shows what needs attention", async () => {
    const { body: before }: { body: Overview } = await owner.ask("GET", "/api/overview")
    const due = await remember(owner, "The trial account ends soon", {
      project: "github.com/acme/stock",
      expires: "2026-01-01T00:00:00.000Z",
    })
    const after = await get<Overview>(owner, "/api/overview")
    expect(after).toMatchObject({ entries: null, cost: null, helping: { tasks: null } })
    expect(after.learned.proven).toBe(before.learned.proven)
    expect(after.needs).toContainEqual(expect.objectContaining({ kind: "expired", count: 1 }))
    expect((await find(owner, "status:expired")).rows).toMatchObject([{ id: due.id }])
  })

  test("figures follow every change of a memory, and uses within a minute", async () => {
    const hits = async () => (await get<Overview>(kim, "/api/overview")).helping.hits
    const { id } = await remember(kim, "The ledger is closed on Fridays")
    const before = await hits()
    const use = {
      memory: id,
      task: "t-1",
      project: shop,
      at: "2026-03-02T09:00:00.000Z",
      injected: true,
      outcome: "hit",
    }
    const figures = { exposed: true, cited: false, regretSaved: 1, netRegret: 1 }
    await owner.ask("POST", "/v1/uses", { events: [{ key: "use-1", ...use, ...figures }] })
    server.pass(61_000)
    expect(await hits()).toBe(before + 1)
    const { learned } = await get<Overview>(kim, "/api/overview")
    await kim.ask("POST", `/api/items/${id}/forget`, { version: "1" })
    expect((await get<Overview>(kim, "/api/overview")).learned).toMatchObject({ ended: learned.ended + 1 })
  })

  test("the timeline has a dot for each memory, and a total of all of them", async () => {
    const { total } = await find(owner, "")
    const timeline = await get<TimelineAnswer>(owner, "/api/timeline")
    expect([timeline.ids.length, timeline.weeks.at(-1)?.total]).toEqual([total, total])
    expect(timeline.at).toEqual(timeline.at.toSorted((one, other) => one - other))
    expect((await get<TimelineAnswer>(owner, "/api/timeline?q=dedupe")).ids).toHaveLength(1)
  })

  test("a context preview counts as no use", async () => {
    const asked = { task: "Run pnpm dedupe to tidy the lock file of the shop", project: shop }
    const { body }: { body: ContextAnswer } = await kim.ask("POST", "/api/context", asked)
    const [handed] = body.included
    expect(body.text).toContain("Never run pnpm dedupe")
    expect((await detail(kim, handed?.id ?? "")).uses).toEqual([])
    const elsewhere = await kim.ask("POST", "/api/context", { ...asked, project: "github.com/acme/other" })
    expect(elsewhere.body.text).not.toContain("dedupe")
  })

  test("a read-only token changes nothing, whatever its member may do", async () => {
    const { id } = await remember(kim, "Receipts are kept for ten years")
    const reader = await kim.withToken(["read"])
    expect((await detail(reader, id)).can.edit).toMatch(/token/)
    expect((await reader.ask("POST", `/api/items/${id}/forget`, { version: "1" })).status).toBe(403)
  })
})
