import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { withLock } from "../../disk/lock.ts"
import { openDatabase } from "../../disk/sqlite.ts"
import { learnedPath } from "../../memories/ledger.ts"
import { add, learnOne, minute } from "../../memories/test-store.ts"
import { syncLock } from "./sync.ts"
import { isSyncDue } from "./sync-due.ts"
import { sharedIdOf, startFakeTeamServer } from "./test-server.ts"
import { testTeam } from "./test-team.ts"
import { testMemoryId, testTeamMemory } from "./test-team-memory.ts"

const down = { status: 503, body: '{"error":"The database is away.","code":"unavailable"}' }

async function signedIn() {
  const server = await startFakeTeamServer()
  const here = testTeam()
  await here.team.login({ server: server.url, token: "token-of-kim" })
  server.requests.length = 0
  return { server, ...here }
}

test("signing in fetches the team's memory at once, and the token is readable only by the user", async () => {
  const server = await startFakeTeamServer()
  const { home, store, team } = testTeam()
  server.put(testTeamMemory("billing"))
  const { login, syncing } = await team.login({ server: `${server.url}/`, token: " token-of-kim\n" })
  expect(login).toEqual({
    server: server.url,
    organisation: { slug: "acme", name: "Acme" },
    member: { id: "u-kim", name: "Kim", role: "member" },
    teams: { "t-payments": "Payments" },
  })
  expect(syncing).toMatchObject({ added: [testMemoryId("billing")], problem: undefined })
  expect((await store.memories({})).map(({ id }) => id)).toEqual([testMemoryId("billing")])
  expect(statSync(join(home, "team.json")).mode & 0o777).toBe(0o600)
  expect(JSON.stringify(await team.status())).not.toContain("token-of-kim")
})

test("an unknown token changes nothing", async () => {
  const { server, team, home } = await signedIn()
  const before = readFileSync(join(home, "team.json"), "utf8")
  const wrong = team.login({ server: server.url, token: "token-of-nobody" })
  await expect(wrong).rejects.toThrow("rejected the token")
  await expect(wrong).rejects.not.toThrow("token-of-nobody")
  expect(readFileSync(join(home, "team.json"), "utf8")).toBe(before)
})

test("another member's token needs another folder, or leaving first", async () => {
  const { server, team } = await signedIn()
  server.tokens.set("token-of-ada", { id: "u-ada", name: "Ada", role: "admin", teams: [] })
  await expect(team.login({ server: server.url, token: "token-of-ada" })).rejects.toThrow("signed in as Kim")
  await team.leave()
  expect((await team.login({ server: server.url, token: "token-of-ada" })).login.member.role).toBe("admin")
})

test("changes arrive page by page, and those of a new project from the beginning", async () => {
  const { server, store, team, projects } = await signedIn()
  server.pageSize = 2
  for (const name of ["a", "b", "c"]) server.put(testTeamMemory(name))
  for (const name of ["d", "e", "f"]) server.put(testTeamMemory(name, { project: "p-two" }))
  expect((await team.sync()).added).toHaveLength(3)
  projects.push("p-two")
  expect((await team.sync()).added.sort()).toEqual(["d", "e", "f"].map(testMemoryId).sort())
  server.remove(testMemoryId("a"))
  server.requests.length = 0
  expect(await team.sync()).toMatchObject({ added: [], removed: [testMemoryId("a")] })
  expect(server.requests.filter(({ path }) => path.startsWith("/v1/changes"))).toHaveLength(1)
  expect(await store.memories({})).toHaveLength(5)
})

test("a project with fewer changes than others is requested together with them again", async () => {
  const { server, team, projects } = await signedIn()
  server.put(testTeamMemory("a"))
  await team.sync()
  projects.push("p-two", "p-three")
  await team.sync()
  server.requests.length = 0
  await team.sync()
  expect(server.requests.filter(({ path }) => path.startsWith("/v1/changes"))).toHaveLength(1)
})

test("a server that was restored to an earlier state is followed", async () => {
  const { server, store, team } = await signedIn()
  for (const name of ["a", "b", "c"]) server.put(testTeamMemory(name, { version: 7 }))
  await team.sync()
  const earlier = testTeamMemory("a", { version: 2, text: "As it was before." })
  const page = { memories: [earlier], removed: [], next: 1, more: false }
  server.fault = ({ path }) => (path === "/v1/changes" ? { status: 200, body: JSON.stringify(page) } : undefined)
  expect(await team.sync()).toMatchObject({ added: [testMemoryId("a")], problem: undefined })
  expect(await store.memories({})).toMatchObject([{ text: "As it was before." }])
})

test("an endless list of changes is not followed forever", async () => {
  const { server, team } = await signedIn()
  const page = { memories: [], removed: [], next: 0, more: true }
  server.fault = ({ path }) => (path === "/v1/changes" ? { status: 200, body: JSON.stringify(page) } : undefined)
  expect((await team.sync()).problem?.message).toContain("never ends")
})

test("a share is previewed, sent under the member's name, and is the team's from then on", async () => {
  const { server, store, team } = await signedIn()
  const id = await learnOne(store, "a", add("Run the linter before you push."))
  const plan = await team.planShare([id], { team: "payments" })
  expect(plan).toMatchObject({ with: "team Payments", attributedTo: "Kim", memories: [{ kind: "ready" }] })
  expect(server.requests).toEqual([])
  const result = await team.share(plan)
  expect(result).toEqual({
    shared: [{ memory: id, copy: sharedIdOf(id), status: "provisional" }],
    unshared: [],
    refused: [],
    waiting: undefined,
  })
  expect(server.memories.get(sharedIdOf(id))).toMatchObject({
    text: "Run the linter before you push.",
    sourceMemory: id,
  })
  const [copy] = await store.find(sharedIdOf(id))
  expect(copy).toMatchObject({
    contributedBy: "Kim (team Payments)",
    sourceMemory: id,
    owner: { type: "team", id: "t-payments" },
  })
})

test("a secret is refused here, and nothing is sent", async () => {
  const { server, store, team } = await signedIn()
  const id = await learnOne(store, "a", add("Run the linter before you push."))
  const [memory] = await store.find(id)
  const secret = `ghp_${"a1B2".repeat(9)}`
  const leaky = {
    projects: store.projects,
    find: async () => (memory ? [{ ...memory, text: `Push with ${secret}` }] : []),
  }
  const { openTeam } = await import("./team.ts")
  const other = openTeam({
    home: testTeam().home,
    store: leaky,
    projects: async () => [],
    project: async () => "p-one",
    userHome: "/data/kim",
    now: () => new Date(),
  })
  await other.login({ server: server.url, token: "token-of-kim" })
  server.requests.length = 0
  const result = await other.share(await other.planShare([id]))
  expect(result).toMatchObject({ shared: [], refused: [{ memory: id }] })
  expect(JSON.stringify(result)).not.toContain(secret)
  expect(server.requests).toEqual([])
  await other.close()
  expect(await team.status()).toMatchObject({ waiting: { share: 0 } })
})

test("the team's own memories and ended ones cannot be shared", async () => {
  const { server, store, team } = await signedIn()
  server.put(testTeamMemory("billing"))
  await team.sync()
  const id = await learnOne(store, "a", add("Run the linter before you push."))
  await store.forget([id], { purge: false, reason: "over", now: minute(40) })
  const { memories } = await team.planShare([testMemoryId("billing"), id])
  expect(memories).toMatchObject([{ reason: "it already belongs to the team" }, { reason: "it has ended" }])
})

test("offline, a share is queued, reported as queued, and sent with the next sync", async () => {
  const { server, store, team } = await signedIn()
  const id = await learnOne(store, "a", add("Run the linter before you push."))
  server.fault = () => "drop"
  expect(await team.share(await team.planShare([id]))).toMatchObject({
    shared: [],
    waiting: { memories: [id], reason: expect.stringContaining("cannot be reached") },
  })
  expect(await team.status()).toMatchObject({ waiting: { share: 1 } })
  server.fault = () => undefined
  expect(await team.sync()).toMatchObject({ shared: [{ memory: id }] })
  expect(await team.status()).toMatchObject({ waiting: { share: 0 } })
})

test("while another process syncs, a share waits for it", async () => {
  const { server, store, team, home } = await signedIn()
  const id = await learnOne(store, "a", add("Run the linter before you push."))
  const plan = await team.planShare([id])
  const result = await withLock(syncLock(home), () => team.share(plan))
  expect(result).toMatchObject({ shared: [], waiting: { memories: [id], reason: "another process is syncing" } })
  await team.sync()
  expect(server.memories.has(sharedIdOf(id))).toBe(true)
})

test("a shared memory is withdrawn by its own name or the copy's", async () => {
  const { server, store, team } = await signedIn()
  const id = await learnOne(store, "a", add("Run the linter before you push."))
  const other = await learnOne(store, "b", add("Write the tests in French."))
  await team.share(await team.planShare([id, other]))
  expect(await team.unshare([id])).toMatchObject({ unshared: [id] })
  expect(await team.unshare([sharedIdOf(other)])).toMatchObject({ unshared: [sharedIdOf(other)] })
  expect(server.memories.size).toBe(0)
  expect((await store.memories({})).map((memory) => memory.id).sort()).toEqual([id, other].sort())
})

test("a member without permission to withdraw gets the reason, and the copy stays", async () => {
  const { server, store, team } = await signedIn()
  server.put(testTeamMemory("billing", { contributedBy: "Ada" }))
  await team.sync()
  const result = await team.unshare([testMemoryId("billing")])
  expect(result).toMatchObject({ unshared: [], refused: [{ reason: "Only who shared it, or an admin." }] })
  expect(await store.find(testMemoryId("billing"))).toHaveLength(1)
})

test("uses of the team's memories reach the server, and a lost response duplicates none", async () => {
  const { server, store, team } = await signedIn()
  const id = testMemoryId("billing")
  server.put(testTeamMemory("billing"))
  await team.sync()
  const task = { task: "t-1", project: "p-one", session: "s", agent: undefined, taskHash: "h", ts: minute(1) }
  await store.recordTask({ ...task, memories: [{ id, injected: true, rank: 1, score: 1 }] })
  server.fault = ({ path }) => (path === "/v1/uses" ? "lose" : undefined)
  expect((await team.sync()).problem?.message).toContain("the connection was closed")
  expect(await team.status()).toMatchObject({ waiting: { use: 1 } })
  server.fault = () => undefined
  expect(await team.sync()).toMatchObject({ uses: 1, problem: undefined })
  expect([...server.uses.values()]).toMatchObject([{ memory: id, task: "t-1", injected: true, project: "p-one" }])
})

test("an event that the server always refuses does not block the others", async () => {
  const { server, store, team } = await signedIn()
  const names = ["a", "b", "c", "d", "e"]
  for (const name of names) server.put(testTeamMemory(name))
  await team.sync()
  const task = { task: "t-1", project: "p-one", session: "s", agent: undefined, taskHash: "h", ts: minute(1) }
  const uses = names.map((name) => ({ id: testMemoryId(name), injected: true, rank: 1, score: 1 }))
  await store.recordTask({ ...task, memories: uses })
  const taken: string[] = []
  server.uses.set = (key, event) => {
    if (event.memory === testMemoryId("c")) throw new Error("not this one")
    taken.push(event.memory)
    return Map.prototype.set.call(server.uses, key, event) as typeof server.uses
  }
  expect(await team.sync()).toMatchObject({ problem: undefined, refused: [{ kind: "use", memory: testMemoryId("c") }] })
  expect(new Set(taken)).toEqual(new Set(["a", "b", "d", "e"].map(testMemoryId)))
  expect(await team.status()).toMatchObject({ waiting: { use: 0 } })
})

test("a revoked token keeps the copies, and says how to sign in again", async () => {
  const { server, store, team } = await signedIn()
  server.put(testTeamMemory("billing"))
  await team.sync()
  server.tokens.clear()
  expect((await team.sync()).problem).toMatchObject({ hint: `Sign in again: drey team login ${server.url}` })
  expect(await team.status()).toMatchObject({ problem: { message: expect.stringContaining("expired or was revoked") } })
  expect(await store.memories({})).toHaveLength(1)
  server.tokens.set("token-new-of-kim", { id: "u-kim", name: "Kim", role: "admin", teams: ["t-payments"] })
  await team.login({ server: server.url, token: "token-new-of-kim" })
  expect(await team.status()).toMatchObject({ problem: null, member: { role: "admin" } })
})

test("a failing server is retried after longer and longer pauses", async () => {
  const { server, team, home, clock } = await signedIn()
  const pauses = []
  server.fault = () => down
  for (let failure = 0; failure < 8; failure++) {
    await team.sync()
    let seconds = 0
    while (!isSyncDue(home, new Date(clock.now.getTime() + seconds * 1000))) seconds += 60
    pauses.push(seconds / 60)
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  server.fault = () => undefined
  await team.sync()
  expect(isSyncDue(home, new Date(clock.now.getTime() + 299_000))).toBe(false)
  expect(isSyncDue(home, new Date(clock.now.getTime() + 300_000))).toBe(true)
})

test("a server that asks to wait is not contacted before that, not even by hand", async () => {
  const { server, team, clock } = await signedIn()
  server.fault = () => ({ status: 429, headers: { "retry-after": "90" }, body: '{"error":"Slowly.","code":"limited"}' })
  await team.sync()
  server.fault = () => undefined
  server.requests.length = 0
  await expect(team.sync()).rejects.toThrow("asks to wait")
  expect(server.requests).toEqual([])
  clock.now = new Date(clock.now.getTime() + 91_000)
  expect((await team.sync()).problem).toBeUndefined()
})

test("an aborted sync resumes the next time, and does not count as a failure", async () => {
  const { server, team, home, clock } = await signedIn()
  server.put(testTeamMemory("billing"))
  const ending = new AbortController()
  server.fault = ({ path }) => {
    if (path === "/v1/changes") ending.abort()
    return undefined
  }
  clock.now = new Date(clock.now.getTime() + 300_000)
  await team.syncIfFree({ signal: ending.signal })
  expect(await team.status()).toMatchObject({ problem: null })
  expect(isSyncDue(home, clock.now)).toBe(true)
  server.fault = () => undefined
  expect((await team.sync()).added).toEqual([testMemoryId("billing")])
})

test("a member without write access still gets changes, and their uses are queued", async () => {
  const { server, store, team } = await signedIn()
  server.put(testTeamMemory("billing"))
  await team.sync()
  const task = { task: "t-1", project: "p-one", session: "s", agent: undefined, taskHash: "h", ts: minute(1) }
  await store.recordTask({ ...task, memories: [{ id: testMemoryId("billing"), injected: true, rank: 1, score: 1 }] })
  server.put(testTeamMemory("ledger"))
  const forbidden = { status: 403, body: '{"error":"This token may only read.","code":"forbidden"}' }
  server.fault = ({ method }) => (method === "POST" ? forbidden : undefined)
  expect(await team.sync()).toMatchObject({
    added: [testMemoryId("ledger")],
    problem: { message: expect.stringContaining("may only read") },
  })
  expect(await team.status()).toMatchObject({ waiting: { use: 1 } })
})

test("leaving lists what was not sent, and discards it only if confirmed", async () => {
  const { server, store, team, home } = await signedIn()
  const id = await learnOne(store, "a", add("Run the linter before you push."))
  server.put(testTeamMemory("billing"))
  await team.sync()
  server.fault = () => "drop"
  await team.share(await team.planShare([id]))
  await expect(team.leave()).rejects.toThrow("1 share")
  expect(await team.status()).toMatchObject({ kind: "signed in" })
  expect(await team.leave({ dropWaiting: true })).toEqual({ copies: 1, dropped: 1 })
  expect(await team.status()).toEqual({ kind: "signed out" })
  expect((await store.memories({})).map((memory) => memory.id)).toEqual([id])
  expect(isSyncDue(home, new Date())).toBe(false)
})

test("without a login every command says how to sign in, and status says only that", async () => {
  const { team } = testTeam()
  await expect(team.sync()).rejects.toThrow("not signed in")
  await expect(team.planShare(["m:12"])).rejects.toThrow("not signed in")
  await expect(team.unshare(["m:12"])).rejects.toThrow("not signed in")
  await expect(team.leave()).rejects.toThrow("not signed in")
  expect(await team.status()).toEqual({ kind: "signed out" })
})

test("a read-only token keeps the latest ten thousand uses queued, and the status shows how many were dropped", async () => {
  const { server, home, store, team } = await signedIn()
  server.put(testTeamMemory("a"))
  await team.sync()
  const use = { id: testMemoryId("a"), injected: true, rank: 1, score: 1 }
  const task = { task: "t-1", project: "p-one", session: "s", agent: undefined, taskHash: "h", ts: minute(1) }
  await store.recordTask({ ...task, memories: [use] })
  const database = openDatabase(learnedPath(home))
  database.exec(`INSERT INTO team_outbox (kind, memory_id, task_id, occasion, body)
    WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 10004)
    SELECT kind, memory_id, 'later ' || n, occasion, body FROM team_outbox, counted`)
  database.close()
  const forbidden = { status: 403, body: '{"error":"This token may not write.","code":"forbidden"}' }
  server.fault = ({ path }) => (path === "/v1/uses" ? forbidden : undefined)
  expect(await team.sync()).toMatchObject({
    droppedUses: 5,
    problem: { message: expect.stringContaining("not write") },
  })
  expect(await team.sync()).toMatchObject({ droppedUses: 0 })
  expect(await team.status()).toMatchObject({ waiting: { use: 10_000 }, droppedUses: 5 })
  server.fault = () => undefined
  expect(await team.sync()).toMatchObject({ uses: 10_000, problem: undefined })
  expect([...server.uses.values()].some(({ task }) => task === "t-1" || task === "later 4")).toBe(false)
  expect(await team.status()).toMatchObject({ waiting: { use: 0 }, droppedUses: 0 })
})

test("changes also arrive while the server accepts no writes", async () => {
  const { server, store, team } = await signedIn()
  const id = await learnOne(store, "a", add("Run the linter before you push."))
  server.put(testTeamMemory("billing"))
  server.fault = ({ method }) => (method === "POST" ? down : undefined)
  await team.share(await team.planShare([id]))
  expect(await team.sync()).toMatchObject({
    added: [testMemoryId("billing")],
    problem: { message: expect.stringContaining("The database is away.") },
  })
  expect(await team.status()).toMatchObject({ waiting: { share: 1 }, setAside: 0 })
})

test("a change on which the server fails repeatedly is set aside, shown, and retried after the others", async () => {
  const { server, store, team } = await signedIn()
  const [bad, good] = [
    await learnOne(store, "a", add("Run the linter before you push.")),
    await learnOne(store, "b", add("Write the tests in French.")),
  ]
  let isBroken = true // over the first: that is five times, then one other goes, then it is the first's turn again
  let shares = 0
  server.fault = ({ method, path }) => {
    if (method !== "POST" || path !== "/v1/memories") return undefined
    return isBroken && (shares++ < 5 || server.memories.has(sharedIdOf(good))) ? down : undefined
  }
  await team.share(await team.planShare([bad]))
  for (let sync = 2; sync < 5; sync++) expect((await team.sync()).problem).toBeDefined()
  expect(await team.share(await team.planShare([good]))).toMatchObject({
    shared: [{ memory: good }],
    waiting: undefined,
  })
  expect(await team.status()).toMatchObject({ waiting: { share: 1 }, setAside: 1 })
  expect(await team.sync()).toMatchObject({ setAside: [{ kind: "share", memory: bad }], problem: undefined })
  isBroken = false
  expect(await team.sync()).toMatchObject({ shared: [{ memory: bad }], setAside: [] })
  expect(await team.status()).toMatchObject({ waiting: { share: 0 }, setAside: 0 })
})

test("a change that was set aside and withdrawn since is not shared after all", async () => {
  const { server, store, team } = await signedIn()
  const id = await learnOne(store, "a", add("Run the linter before you push."))
  server.fault = ({ method }) => (method === "POST" ? down : undefined)
  await team.share(await team.planShare([id]))
  await team.unshare([id])
  for (let sync = 3; sync <= 5; sync++) await team.sync()
  server.fault = () => undefined
  await team.sync()
  expect(server.memories.size).toBe(0)
  expect(await team.status()).toMatchObject({ waiting: { share: 0, unshare: 0 } })
})

test("one use on which the server fails does not block those sent with it", async () => {
  const { server, store, team } = await signedIn()
  const names = ["a", "b", "c"]
  for (const name of names) server.put(testTeamMemory(name))
  await team.sync()
  const task = { task: "t-1", project: "p-one", session: "s", agent: undefined, taskHash: "h", ts: minute(1) }
  const uses = names.map((name) => ({ id: testMemoryId(name), injected: true, rank: 1, score: 1 }))
  await store.recordTask({ ...task, memories: uses })
  server.failsOver = ({ memory }) => memory === testMemoryId("b")
  for (let sync = 1; sync <= 6; sync++) await team.sync()
  expect([...server.uses.values()].map(({ memory }) => memory).sort()).toEqual(["a", "c"].map(testMemoryId).sort())
  expect(await team.status()).toMatchObject({ waiting: { use: 1 }, setAside: 1, problem: null })
})
