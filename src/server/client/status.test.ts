import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { minute } from "../../memories/test-store.ts"
import { checkTeam } from "./status.ts"
import { startFakeTeamServer } from "./test-server.ts"
import { testTeam } from "./test-team.ts"
import { testMemoryId, testTeamMemory } from "./test-team-memory.ts"

async function signedIn() {
  const server = await startFakeTeamServer()
  const here = testTeam()
  server.put(testTeamMemory("billing"))
  await here.team.login({ server: server.url, token: "token-of-kim" })
  return { server, ...here, check: () => checkTeam(here.home, here.team.status) }
}

test("without a team nothing is reported, with one the time of the last sync", async () => {
  const { home, team } = testTeam()
  expect(await checkTeam(home, team.status)).toEqual([])
  const { check } = await signedIn()
  const message = "Signed in to Acme as Kim. Last synced 2026-03-01T12:00:00.000Z."
  expect(await check()).toEqual([{ name: "team", status: "pass", message }])
})

test.skipIf(process.platform === "win32")("a token that others can read gives a warning", async () => {
  const { check, home } = await signedIn()
  chmodSync(join(home, "team.json"), 0o644)
  expect(await check()).toMatchObject([{ status: "warn", message: expect.stringContaining("chmod 600") }])
})

test("an expired token and unsent changes give a warning, according to the last sync", async () => {
  const { check, server, store, team } = await signedIn()
  const task = { task: "t-1", project: "p-one", session: "s", agent: undefined, taskHash: "h", ts: minute(1) }
  const use = { id: testMemoryId("billing"), injected: true, rank: 1, score: 1 }
  await store.recordTask({ ...task, memories: [use] })
  server.tokens.clear()
  await team.sync()
  const [found] = await check()
  expect(found?.status).toBe("warn")
  expect(found?.message).toContain(`Not sent yet: 1. ${server.url} rejected the token`)
  expect(found?.message).toContain("Sign in again")
  expect(found?.message).not.toContain("token-of-kim")
})

test("an unreadable login fails", async () => {
  const { check, home } = await signedIn()
  writeFileSync(join(home, "team.json"), "{}")
  expect(await check()).toMatchObject([{ status: "fail", message: expect.stringContaining("Sign in again") }])
})
