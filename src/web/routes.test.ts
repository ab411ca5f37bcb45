import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { canaries } from "../../test/canaries.ts"
import type {
  About,
  AgentDetail,
  Agents,
  AppProblem,
  Audit,
  Changed,
  Conflict,
  ContextAnswer,
  Detail,
  Health,
  Inbox,
  Items,
  Overview,
  SessionDetail,
  SessionRow,
  TimelineAnswer,
  UndoAnswer,
} from "../recall/browse/app-api.ts"
import { openTestWeb, teamFiles } from "./test-web.ts"
import { webRoutes } from "./web-app.ts"

const contract = readFileSync(join(import.meta.dirname, "../recall/browse/app-api.ts"), "utf8")

test("exactly the addresses of the contract are served", () => {
  const named = [...contract.matchAll(/`(GET|POST) (\/api\/[^`?]+)/g)].map(([, method, path]) => `${method} ${path}`)
  const routes = webRoutes.map(({ method, path }) => `${method} ${path}`)
  const served = [...routes, "GET /api/events", "POST /api/login"]
  expect([...new Set(named)].sort()).toEqual(served.sort())
})

test("an address that the contract does not name is not found", async () => {
  const { ask } = await openTestWeb()
  for (const path of ["/api", "/api/", "/api/itemz", "/api/items/x/y", "/api/about/x"]) {
    const { status, text } = await ask(path)
    expect(status, path).toBe(404)
    expect(JSON.parse(text)).toEqual({ error: expect.any(String) } satisfies AppProblem)
  }
})

test("the app gets what it needs in one request", async () => {
  const { get, root } = await openTestWeb()
  expect(await get<About>("/api/about")).toMatchObject({
    version: "1.2.3",
    root,
    agents: ["Kane", "Rook"],
    user: "ines",
    places: expect.arrayContaining(["/", "/inbox", "/health"]),
    team: null,
  })
})

test("items are found by words and filters, in pages, with facets", async () => {
  const { get } = await openTestWeb()
  const all = await get<Items>("/api/items")
  expect(all.total).toBe(5)
  expect(all.rows.map(({ title }) => title)[0]).toBe("Retry uploads three times")
  expect(all.facets.status).toContainEqual({ value: "superseded", count: 1 })
  expect(all.facets.author).toEqual([
    { value: "Kane", count: 3 },
    { value: "Rook", count: 2 },
  ])
  const page = await get<Items>("/api/items?limit=2&offset=4")
  expect(page).toMatchObject({ total: 5, rows: [{ title: "Keep sessions in Redis", status: "superseded" }] })
  const found = await get<Items>(`/api/items?q=${encodeURIComponent("sessions type:decision -status:superseded")}`)
  const [first] = found.rows
  expect(first).toMatchObject({ title: "Keep sessions in Postgres", status: "in force", path: ".squad/decisions.md" })
  const [start, end] = first?.highlights?.[0] ?? [0, 0]
  expect(first?.snippet?.slice(start, end)).toBe("Sessions")
  expect((await get<Items>("/api/items?q=status:proposed")).rows).toMatchObject([{ source: "inbox" }])
  expect((await get<Items>("/api/items?q=status:expired")).rows).toMatchObject([{ title: "Never log tokens" }])
})

test("a problem in a query is reported with its position", async () => {
  const { get, ask } = await openTestWeb()
  const { problems, rows } = await get<Items>("/api/items?q=colour:red")
  expect(rows).toEqual([])
  expect(problems).toMatchObject([{ start: 0, end: 10 }])
  for (const path of [
    "/api/items?limit=-1",
    "/api/items?limit=a",
    "/api/items?limit=501",
    "/api/items?offset=1.5",
    `/api/items?q=${"x".repeat(2001)}`,
  ])
    expect((await ask(path)).status, path).toBe(400)
})

test("the timeline has every dated result of a query, and the weeks", async () => {
  const { get } = await openTestWeb()
  const { at, ids, type, types, weeks } = await get<TimelineAnswer>("/api/timeline?q=author:Kane")
  expect(at).toEqual([...at].sort((one, other) => one - other))
  expect([at.length, ids.length, type.map((place) => types[place])]).toEqual([
    3,
    3,
    ["decision", "memory", "directive"],
  ])
  expect(weeks.at(-1)).toMatchObject({ total: 3 })
  expect(weeks.reduce((sum, { decisions }) => sum + decisions, 0)).toBe(1)
  expect(await get<TimelineAnswer>("/api/timeline?q=colour:red")).toMatchObject({ at: [], weeks: [] })
})

test("a detail has the text, its predecessors and successors, and the allowed actions", async () => {
  const { get, ask } = await openTestWeb()
  const { rows } = await get<Items>("/api/items?q=type:decision%20sessions")
  const [current, old] = ["Keep sessions in Postgres", "Keep sessions in Redis"].map((title) =>
    rows.find((row) => row.title === title),
  )
  const detail = await get<Detail>(`/api/items/${current?.id}`)
  expect(detail).toMatchObject({
    older: [{ id: old?.id }],
    newer: [],
    formerId: null,
    learned: null,
    can: { edit: true },
  })
  expect(detail.markdown).toContain("app_sessions")
  expect(detail.markdown).not.toContain("**Author:**")
  expect(detail.related.edges).toContainEqual({ from: current?.id, to: old?.id, kind: "supersedes" })
  expect((await get<Detail>(`/api/items/${old?.id}`)).newer).toMatchObject([{ id: current?.id }])
  expect(await ask("/api/items/sem-000000000000")).toMatchObject({ status: 404 })
})

test("a detail shows the diagnostics of its lines", async () => {
  const broken = "### 2026-02-01T09:00:00Z: decision: Use one index\n**Author:** Kane\n**Scope:** everybody\n\nOne.\n"
  const { get } = await openTestWeb({ ".squad/decisions.md": broken })
  const [row] = (await get<Items>("/api/items")).rows
  const { diagnostics } = await get<Detail>(`/api/items/${row?.id}`)
  expect(diagnostics).toContainEqual(
    expect.objectContaining({ path: ".squad/decisions.md", severity: "error", line: 3 }),
  )
})

test("a change is made once, a second one gets a conflict, and it can be undone", async () => {
  const { get, post, root } = await openTestWeb()
  const [row] = (await get<Items>("/api/items?q=status:superseded")).rows
  const path = `/api/items/${row?.id}`
  const { version, markdown } = await get<Detail>(path)
  const edit = { version, markdown: markdown.replace("for a day", "for a week") }
  const changed = await post<Changed>(`${path}/edit`, edit)
  expect(changed).toMatchObject({ status: 200, body: { id: row?.id, undo: { key: expect.any(String) } } })
  const file = () => readFileSync(join(root, ".squad/decisions.md"), "utf8")
  expect(file()).toContain("for a week")
  const second = await post<Conflict>(`${path}/edit`, edit)
  expect(second).toMatchObject({ status: 409, body: { error: expect.any(String), current: { row: { id: row?.id } } } })
  const offer = await get<UndoAnswer>("/api/undo")
  expect(offer.key).toBe(changed.body.undo?.key)
  expect(await post<Changed>("/api/undo", { key: offer.key })).toMatchObject({ status: 200 })
  expect(file()).not.toContain("for a week")
  expect(await post("/api/undo", { key: offer.key })).toMatchObject({ status: 409 })
})

test("an item is replaced, pinned and forgotten, each with the item to show next", async () => {
  const { get, post } = await openTestWeb()
  const [row] = (await get<Items>("/api/items?q=app_sessions")).rows
  const versionOf = async (id: string | null | undefined) => (await get<Detail>(`/api/items/${id}`)).version
  const pinned = await post<Changed>(`/api/items/${row?.id}/pin`, { version: await versionOf(row?.id), pinned: true })
  expect(pinned).toMatchObject({ status: 200, body: { id: row?.id } })
  expect((await get<Items>("/api/items?q=app_sessions")).rows[0]).toMatchObject({ pinned: true })
  const change = {
    version: await versionOf(row?.id),
    title: "Keep sessions in files",
    markdown: "One file each.",
    reason: "Simpler",
  }
  const { body } = await post<Changed>(`/api/items/${row?.id}/supersede`, change)
  expect((await get<Detail>(`/api/items/${body.id}`)).older.map(({ id }) => id)).toContain(row?.id)
  const forgotten = await post<Changed>(`/api/items/${body.id}/forget`, {
    version: await versionOf(body.id),
    reason: "A test",
  })
  expect(forgotten).toMatchObject({ status: 200, body: { undo: { key: expect.any(String) } } })
  expect((await get<Items>("/api/items?q=files")).rows.map(({ id }) => id)).not.toContain(body.id)
})

test("a secret in a change is refused without being repeated", async () => {
  const { get, post } = await openTestWeb()
  const [row] = (await get<Items>("/api/items?q=app_sessions")).rows
  const { version } = await get<Detail>(`/api/items/${row?.id}`)
  const secret = canaries["access token"]["GitHub ghp"]?.() ?? ""
  const refused = await post<AppProblem>(`/api/items/${row?.id}/edit`, { version, markdown: `Use ${secret}` })
  expect(refused.status).toBe(400)
  expect(refused.body.error).not.toContain(secret)
})

test("a proposal is shown with the effect of accepting it, and accepted, merged or refused once", async () => {
  const { get, post } = await openTestWeb()
  const { proposals, broken } = await get<Inbox>("/api/inbox")
  const [proposal] = proposals
  expect(broken).toEqual([])
  expect(proposal).toMatchObject({ row: { title: "Retry uploads three times", status: "proposed" }, from: "agent" })
  expect(proposal?.diff.some(({ path }) => path === ".squad/decisions.md")).toBe(true)
  const path = `/api/inbox/${encodeURIComponent(proposal?.key ?? "")}`
  const stale = await post<Conflict>(`${path}/refuse`, { version: "another", reason: "No" })
  expect(stale).toMatchObject({ status: 409, body: { current: { key: proposal?.key } } })
  const taken = await post<Changed>(`${path}/accept`, { version: proposal?.version, title: "Retry uploads five times" })
  expect(taken).toMatchObject({ status: 200, body: { undo: { key: expect.any(String) } } })
  expect((await get<Items>("/api/items?q=uploads%20type:decision")).rows[0]).toMatchObject({
    title: "Retry uploads five times",
    status: "in force",
  })
  expect((await get<Inbox>("/api/inbox")).proposals).toEqual([])
  expect(await post<Changed>("/api/undo", { key: taken.body.undo?.key })).toMatchObject({ status: 200 })
  const [again] = (await get<Inbox>("/api/inbox")).proposals
  expect(await post(`${path}/refuse`, { version: again?.version, reason: "Too often" })).toMatchObject({ status: 200 })
  expect((await get<Inbox>("/api/inbox")).proposals).toEqual([])
})

test("a proposal can be merged into a similar entry", async () => {
  const { get, post } = await openTestWeb()
  const [proposal] = (await get<Inbox>("/api/inbox")).proposals
  const [into] = (await get<Items>("/api/items?q=app_sessions")).rows
  const path = `/api/inbox/${encodeURIComponent(proposal?.key ?? "")}/merge`
  const merged = await post<Changed>(path, { version: proposal?.version, into: into?.id, how: "append" })
  expect(merged).toMatchObject({ status: 200, body: { id: into?.id } })
  expect((await get<Detail>(`/api/items/${into?.id}`)).markdown).toContain("tried three times")
})

test("missing fields of a change are named", async () => {
  const { post } = await openTestWeb()
  const wrong: [string, object][] = [
    ["/api/items/x/edit", {}],
    ["/api/items/x/edit", { version: 1 }],
    ["/api/items/x/edit", { version: "1", tags: "a" }],
    ["/api/items/x/supersede", { version: "1", title: "" }],
    ["/api/items/x/pin", { version: "1" }],
    ["/api/items/x/forget", { version: "1", reason: 7 }],
    ["/api/undo", {}],
    ["/api/inbox/x/accept", {}],
    ["/api/inbox/x/merge", { version: "1", into: "y", how: "glue" }],
    ["/api/inbox/x/refuse", { version: "1" }],
    ["/api/context", { task: 1 }],
    ["/api/context", { task: "x", budget: -1 }],
    ["/api/context", []],
  ]
  for (const [path, body] of wrong)
    expect(await post<AppProblem>(path, body), `${path} ${JSON.stringify(body)}`).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/\w/) },
    })
})

test("a context preview counts as no use, and a smaller budget includes less", async () => {
  const { get, post } = await openTestWeb()
  const { body } = await post<ContextAnswer>("/api/context", { agent: "Kane", task: "store the sessions" })
  const found = body.included.find(({ source }) => source === "decisions")
  expect(body.text).toContain("app_sessions")
  expect(body.explanation.find(({ id }) => id === found?.id)).toMatchObject({ kept: true, tokens: expect.any(Number) })
  const smaller = await post<ContextAnswer>("/api/context", { agent: "Kane", task: "store the sessions", budget: 150 })
  expect(smaller.body.tokens).toBeLessThanOrEqual(150)
  expect((await get<Detail>(`/api/items/${found?.id}`)).uses).toEqual([])
  expect((await get<AgentDetail>("/api/agents/kane")).row.tasks).toBe(0)
})

test("a detail lists each time an item was handed to an agent", async () => {
  const { get, drey } = await openTestWeb()
  const { context } = await drey.context.build({
    agent: "Kane",
    task: "store the sessions",
    client: "codex",
    session: "s-1",
  })
  const { uses } = await get<Detail>(`/api/items/${context.included[0]?.id}`)
  expect(uses).toMatchObject([
    { taskId: context.taskId, agent: "kane", client: "codex", session: "s-1", rank: 1, outcome: null },
  ])
})

test("sessions are listed and shown with the solution of a failure", async () => {
  const { get, ask, drey } = await openTestWeb()
  const session = await drey.sessions.start({ task: "Mend the lamp", agent: "kane" })
  const { attempt: first } = await session.startAttempt("kane", {
    description: "Replace the bulb of the lamp in the hall",
  })
  await session.finishAttempt(first.id, { result: "failure", error: "still dark" })
  const { attempt: second } = await session.startAttempt("kane", {
    description: "Replace the bulb of the lamp in the hall",
  })
  await session.finishAttempt(second.id, { result: "success" })
  const rows = await get<SessionRow[]>("/api/sessions")
  expect(rows).toMatchObject([
    { id: session.id, task: "Mend the lamp", isActive: true, counts: { attempts: 2, failed: 1 } },
  ])
  const detail = await get<SessionDetail>(`/api/sessions/${session.id}`)
  expect(detail).toMatchObject({ row: { id: session.id }, agents: [{ name: "kane" }], problems: [] })
  expect(detail.agents[0]?.memory.attempts).toHaveLength(2)
  expect((await ask("/api/sessions/20200101-000000-abc1def2-gone")).status).toBe(404)
  expect((await ask("/api/sessions/..%2f..")).status).toBe(400)
})

test("agents are shown with what they wrote and their token cost", async () => {
  const { get, ask } = await openTestWeb()
  const { agents } = await get<Agents>("/api/agents")
  expect(agents).toMatchObject([
    { name: "Kane", role: "Lead", entries: 3, decisions: 1, tasks: 0, meanTokens: null },
    { name: "Rook", role: "Tests", entries: 2, decisions: 2 },
  ])
  expect(agents[0]?.baseTokens).toBeGreaterThan(10)
  const kane = await get<AgentDetail>("/api/agents/kane")
  expect(kane).toMatchObject({
    history: [{ title: "The lab network drops at noon" }],
    decisions: [{ type: "decision" }],
  })
  expect(kane.knows).toContainEqual({ tag: "sessions", count: 1 })
  expect((await ask("/api/agents/nobody")).status).toBe(404)
})

test("the audit is verified, newest first, and can be filtered", async () => {
  const { get, drey } = await openTestWeb()
  const memory = drey.governed
  await memory.write({ title: "Lamps", content: "Lamps are mended on Mondays.", author: "Kane", class: "LOCAL" })
  await memory.search("lamps")
  const all = await get<Audit>("/api/audit")
  expect(all).toMatchObject({ whole: true, problem: null, lines: 1, total: 2 }) // the search is noted outside of the team's chain
  expect(all.actions).toContain("write")
  expect(all.records[0]?.at).toMatch(/^2026-/)
  const written = await get<Audit>("/api/audit?action=write&text=LAMPS&limit=1")
  expect(written).toMatchObject({ total: 1, records: [{ action: "write", actor: "Kane", title: "Lamps" }] })
  expect(await get<Audit>("/api/audit?actor=nobody")).toMatchObject({ total: 0, records: [] })
})

test("health is doctor's findings with their commands", async () => {
  const { get } = await openTestWeb()
  const { checks, diagnostics } = await get<Health>("/api/health")
  expect(checks.find(({ fix }) => fix !== null)?.fix).toMatch(/^drey \w+/)
  expect(diagnostics).toContainEqual(expect.objectContaining({ path: ".squad/decisions.md" }))
})

test("the overview lists what needs attention, with links", async () => {
  const { get } = await openTestWeb({ ...teamFiles, ".squad/decisions/bad.md": "\0\0" })
  const overview = await get<Overview>("/api/overview")
  expect(overview).toMatchObject({
    entries: { total: 5, superseded: 1 },
    learned: { onTrial: 0, proven: 0, ended: 0 },
    helping: { hits: 0, withMemory: null },
  })
  expect(overview.needs).toContainEqual(expect.objectContaining({ kind: "inbox", count: 1, href: "/inbox" }))
  expect(overview.needs).toContainEqual(
    expect.objectContaining({ kind: "expired", href: "/explorer?q=status%3Aexpired" }),
  )
  expect(overview.cost?.map(({ agent }) => agent)).toEqual(["Kane", "Rook"])
  expect(overview.recent[0]?.title).toBe("Retry uploads three times")
})

test("an internal error is printed in the terminal, and the browser gets no content of it", async () => {
  const { drey, ask, told } = await openTestWeb()
  drey.search.browse.items = async () => {
    throw new Error("the secret of the lamp")
  }
  const { status, text } = await ask("/api/items")
  expect(status).toBe(500)
  expect(text).not.toContain("lamp")
  expect(told.join()).toContain("the secret of the lamp")
})
