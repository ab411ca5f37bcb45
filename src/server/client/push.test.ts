import { expect, test } from "vitest"
import { add, learnOne, minute, testEvent } from "../../memories/test-store.ts"
import { startFakeTeamServer } from "./test-server.ts"
import { testTeam } from "./test-team.ts"

const noon = { start: minute(120), end: minute(130) }

async function signedIn() {
  const server = await startFakeTeamServer()
  const here = testTeam()
  await here.team.login({ server: server.url, token: "token-of-kim" })
  server.requests.length = 0
  const uploads = () => server.requests.filter(({ path }) => path === "/v1/episodes").length
  return { server, ...here, uploads, ids: () => [...server.episodes.keys()].map((id) => id.slice(-1)) }
}

/** Work of a project that was learned from. */
function work(store: ReturnType<typeof testTeam>["store"], name: string, given: Parameters<typeof learnOne>[3] = {}) {
  return learnOne(store, name, add(`Remember the ${name} of this.`), { ...noon, ...given })
}

test("episodes are not sent unless the user and the team have both agreed, and the status shows both sides", async () => {
  const { server, store, team, uploads, ids } = await signedIn()
  server.agreed.add("p-one")
  await work(store, "a")
  expect(await team.sync()).toMatchObject({ episodes: 0, problem: undefined })
  server.agreed.clear()
  expect(await team.allowEpisodes()).toMatchObject({ project: "p-one", isAgreed: false, waiting: 1, sent: 0 })
  expect(await team.sync()).toMatchObject({ episodes: 0, problem: undefined })
  expect([uploads(), ids()]).toEqual([0, []])
  server.agreed.add("p-one")
  expect(await team.sync()).toMatchObject({ episodes: 1, problem: undefined })
  expect(ids()).toEqual(["a"])
  expect(await team.status()).toMatchObject({ episodes: [{ isAgreed: true, waiting: 0, sent: 1 }] })
})

test("work that began before the consent is not sent, unless the user gives an earlier time", async () => {
  const { server, store, team, clock, ids } = await signedIn()
  server.agreed.add("p-one")
  await work(store, "a", { start: minute(10), end: minute(120) })
  await work(store, "b", { start: minute(121), end: minute(130), session: "other" })
  clock.now = new Date(minute(121))
  await team.allowEpisodes()
  await team.sync()
  expect(ids()).toEqual(["b"])
  clock.now = new Date(minute(200))
  await team.allowEpisodes() // consent given again counts from then on
  expect(await team.allowEpisodes({ from: new Date(minute(0)) })).toMatchObject({ from: minute(0), waiting: 1 })
  await team.sync()
  expect(ids()).toEqual(["b", "a"])
})

test("episodes are sent in the order of the work, twenty at a time, and each once", async () => {
  const { server, store, team, uploads, ids } = await signedIn()
  server.agreed.add("p-one")
  for (let at = 0; at < 45; at++)
    await work(store, `e${45 - at}`, { session: "long", start: minute(120 + at), end: minute(121 + at) })
  await work(store, "before", { session: "early", start: minute(60), end: minute(70) })
  await team.allowEpisodes({ from: new Date(minute(0)) })
  let lost = 0
  server.fault = ({ path }) => (path === "/v1/episodes" && lost++ === 1 ? "lose" : undefined)
  expect((await team.sync()).problem?.message).toContain("cannot be reached")
  expect(await team.status()).toMatchObject({ episodes: [{ sent: 20, waiting: 26 }] })
  expect(await team.sync()).toMatchObject({ episodes: 26, problem: undefined })
  expect([...server.episodes.values()].map(({ start }) => start)).toEqual(
    [60, ...Array.from({ length: 45 }, (_, at) => 120 + at)].map((at) => minute(at)),
  )
  expect(uploads()).toBe(4)
  await team.sync()
  expect([uploads(), ids().length]).toEqual([4, 46])
})

test("a team that has withdrawn its consent gets no requests until it agrees again", async () => {
  const { server, store, team, uploads } = await signedIn()
  server.agreed.add("p-one")
  await team.allowEpisodes()
  await work(store, "a")
  server.fault = ({ path }) => {
    if (path === "/v1/episodes") server.agreed.clear() // between the question and the upload
    return undefined
  }
  expect(await team.sync()).toMatchObject({ episodes: 0, problem: undefined, refused: [] })
  expect(await team.status()).toMatchObject({ problem: null, episodes: [{ isAgreed: false, waiting: 1 }] })
  await team.sync()
  expect(uploads()).toBe(1)
  server.fault = () => undefined
  server.agreed.add("p-one")
  expect(await team.sync()).toMatchObject({ episodes: 1 })
})

test("an episode that the server always refuses does not block the others", async () => {
  const { server, store, team, ids } = await signedIn()
  server.agreed.add("p-one")
  await team.allowEpisodes()
  for (const [at, name] of ["a", "b", "c"].entries())
    await work(store, name, {
      ...{ session: "one", start: minute(120 + at), end: minute(121 + at) },
      events: [testEvent({ id: name.repeat(name === "b" ? 201 : 1) })],
    })
  await team.sync()
  expect(ids()).toEqual(["a", "c"])
  expect(await team.status()).toMatchObject({ episodes: [{ sent: 2, refused: 1, waiting: 0 }] })
})

test("neither secrets nor local paths leave this machine", async () => {
  const { server, store, team } = await signedIn()
  server.agreed.add("p-one")
  await store.registerProject("p-one", "/data/kim/work/shop")
  const secret = ["ghp", "R7mK2pX9vB4nQ8sT1wY6zC3dF5gH0jL2aE4u"].join("_")
  await team.allowEpisodes()
  await work(store, "a", {
    transcript: "/data/kim/.claude/projects/shop/1.jsonl",
    session: "/data/kim/notes.md",
    events: [
      testEvent({ summary: `Log in with ${secret} as kim.doe@acme.example` }),
      testEvent({ id: "r2", command: "cat /data/kim/.netrc /data/kim/work/shop/src/a.ts", file: "/home/ada/b.ts" }),
    ],
  })
  await team.sync()
  const [sent] = server.episodes.values()
  const text = JSON.stringify(sent)
  for (const hidden of [secret, "kim.doe", "/data/kim", "/home/ada", ".jsonl"]) expect(text).not.toContain(hidden)
  expect(sent?.events[1]).toMatchObject({ command: "cat ~/.netrc src/a.ts", file: "~/b.ts" })
})

test("no more episodes are sent after the user has turned it off or left, and nothing is left of it", async () => {
  const { server, store, team, ids } = await signedIn()
  server.agreed.add("p-one")
  await team.allowEpisodes()
  expect(await team.forbidEpisodes()).toBe(true)
  expect(await team.forbidEpisodes()).toBe(false)
  await work(store, "a")
  await team.sync()
  expect(ids()).toEqual([])
  await team.allowEpisodes()
  await team.leave()
  await team.login({ server: server.url, token: "token-of-kim" })
  expect(await team.status()).toMatchObject({ episodes: [] })
})

test("a token without write access sends none and reports it, and the team's memories still arrive", async () => {
  const { server, store, team } = await signedIn()
  server.agreed.add("p-one")
  await team.allowEpisodes()
  await work(store, "a")
  const body = '{"error":"This token may not write.","code":"forbidden"}'
  server.fault = ({ path }) => (path === "/v1/episodes" ? { status: 403, body } : undefined)
  expect((await team.sync()).problem?.message).toContain("This token may not write")
  expect(server.requests.at(-1)?.path).toContain("/v1/changes")
  server.fault = () => undefined
  expect(await team.sync()).toMatchObject({ episodes: 1, problem: undefined })
})
