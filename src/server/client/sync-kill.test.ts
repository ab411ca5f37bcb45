import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { crashPoints } from "../../../test/crash-points.ts"
import { bundleChild, startChild } from "../../../test/start-child.ts"
import { openDatabase } from "../../disk/sqlite.ts"
import { learnedPath } from "../../memories/ledger.ts"
import { add, dumpStore, learnOne, minute } from "../../memories/test-store.ts"
import { type FakeTeamServer, startFakeTeamServer } from "./test-server.ts"
import { testTeam } from "./test-team.ts"
import { testMemoryId, testTeamMemory } from "./test-team-memory.ts"

const child = `
import { openTeam } from "../server/client/team.ts"
import { learnedPath } from "../memories/ledger.ts"
import { sqliteStore } from "../memories/sqlite-store.ts"
const home = process.argv[2]
const store = sqliteStore(learnedPath(home))
const team = openTeam({ home, store, projects: async () => ["p-one"], project: async () => "p-one", userHome: "/data/kim", now: () => new Date("2026-03-01T12:00:00.000Z") })
await team.sync()
`

/** A user with a use, a share, a withdrawn share and two episodes that the server does not have, and a server with two pages of changes. */
async function prepare(): Promise<{ home: string; server: FakeTeamServer }> {
  const server = await startFakeTeamServer()
  const { home, store, team } = testTeam()
  server.put(testTeamMemory("old"))
  await team.login({ server: server.url, token: "token-of-kim" })
  const [shared, taken] = [
    await learnOne(store, "a", add("Run the linter before you push.")),
    await learnOne(store, "b", add("Write the tests in French.")),
  ]
  await team.share(await team.planShare([taken]))
  const use = { id: testMemoryId("old"), injected: true, rank: 1, score: 1 }
  const task = { task: "t-1", project: "p-one", session: "s", agent: undefined, taskHash: "h", ts: minute(1) }
  await store.recordTask({ ...task, memories: [use] })
  server.agreed.add("p-one")
  await team.allowEpisodes({ from: new Date(minute(0)) })
  server.fault = () => "drop"
  await team.share(await team.planShare([shared]))
  await team.unshare([taken])
  server.fault = () => undefined
  server.remove(testMemoryId("old"))
  for (const name of ["c", "d", "e"]) server.put(testTeamMemory(name))
  server.pageSize = 3
  await team.close()
  await store.close()
  return { home, server }
}

/** The final state on both sides; the number of attempts is not part of it. */
function stateOf({ home, server }: { home: string; server: FakeTeamServer }) {
  const database = openDatabase(learnedPath(home))
  expect(database.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }])
  expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([])
  database.close()
  return {
    here: dumpStore(learnedPath(home)).filter((row) => !row.startsWith("projects ")), // their version counts changes
    there: [...server.memories.values()].sort((one, other) => (one.id < other.id ? -1 : 1)),
    uses: [...server.uses.keys()].sort(),
    episodes: [...server.episodes.keys()],
  }
}

test("a sync that is killed at any request, before or after the server has handled it, has the same result as one that was not", {
  timeout: 240_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "drey-sync-child-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const script = await bundleChild(folder, child)
  const whole = await prepare()
  whole.server.requests.length = 0
  expect(await startChild(script, whole.home).ended).toBe(0)
  const requests = whole.server.requests.length
  const expected = stateOf(whole)
  expect(expected.uses).toHaveLength(1)
  expect(expected.episodes).toHaveLength(2)
  for (const number of crashPoints("sync", requests, 6))
    for (const moment of ["drop", "lose"] as const) {
      const place = await prepare()
      const killed = startChild(script, place.home)
      let asked = 0
      place.server.fault = () => {
        if (asked++ < number - 1) return undefined
        killed.process.kill("SIGKILL")
        return moment
      }
      expect(await killed.ended).toBe("SIGKILL")
      place.server.fault = () => undefined
      const again = startChild(script, place.home)
      expect(await again.ended, again.errors()).toBe(0)
      expect(stateOf(place)).toEqual(expected)
    }
})
