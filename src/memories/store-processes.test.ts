import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { bundleChild, startChild } from "../../test/start-child.ts"
import { openDatabase } from "../disk/sqlite.ts"
import { dumpStore, newStorePath } from "./test-store.ts"

/** Works through the same list of episodes as every other process with the same name, and prints each number once it is on disk. */
const child = `
import { sqliteStore } from "../memories/sqlite-store.ts"
const [path, name, count] = process.argv.slice(2)
const store = sqliteStore(path)
const minute = (n) => new Date(Date.parse("2026-03-01T10:00:00.000Z") + n * 60000).toISOString()
const stats = { error_count: 1, retry_loops: 0, retry_attempts: 0, tests_final_status: "not_run", user_frustration: "none", interrupts: 0, rejections: 0, outcome: "success" }
const policy = { duplicateSimilarity: 0.95, refineSimilarity: 0.85, conflictSimilarity: 0.85, dropConfidence: 0.4, shortTermDays: 30, emergencyDays: 7, allowTeam: false }
await store.registerProject("p-" + name, "/" + name)
for (let n = 1; n <= Number(count); n++) {
  const id = "ep-" + name + "-" + n
  const event = { id: id + "-1", ts: minute(n), line: n, role: "user", kind: "message", summary: "Do " + n, contexts: ["t-" + id] }
  const episode = { id, project: "p-" + name, client: "codex", session: name, transcript: "/t", start: minute(n), end: minute(n), events: [event], stats, flushReason: "idle" }
  const position = { offset: n * 100, line: n, stamp: "s", carried: "" }
  const open = { client: "codex", session: name, project: "p-" + name, transcript: "/t", events: [event] }
  const at = (await store.position("codex", "/t/" + name))?.line ?? 0
  if (at < n) await store.takeIn({ read: { client: "codex", path: "/t/" + name, position, seen: [event.id] }, open: [open], episodes: [episode] })
  const known = (await store.memories({ project: "p-" + name, statuses: ["provisional"] })).filter(({ created }) => created < minute(n))
  const isDone = (await store.episode(id)).processed
  if (!isDone) await store.recordTask({ task: "t-" + id, project: "p-" + name, session: name, agent: undefined, taskHash: String(n), ts: minute(n), memories: known.slice(0, 3).map(({ id }, rank) => ({ id, injected: true, rank, score: 1 })) })
  const uses = (await store.tasksOf(episode)).flatMap(({ uses }) => uses).map(({ memory, task }) => ({ memory, task, exposed: true, cited: false, hit: true, miss: false, regretSaved: 0.5, netRegret: 0.5 }))
  const operation = { op: "ADD", scope: "project", owner: { type: "user", id: "kim" }, kind: "invariant", tier: "short_term", polarity: 1, key: "project.fact_" + (n % 7), text: "Fact " + n + " of " + name, confidence: 0.9, evidence: { source: "explicit_statement", frustration: "none" } }
  await store.commit({ episode: id, operations: [operation], owner: { type: "user", id: "kim" }, trigger: { tools: [], heads: [], paths: [], fingerprints: [] }, settlement: { uses, injected: uses.length > 0 }, policy, now: minute(n) })
  process.stdout.write(n + "\\n")
}
await store.close()
`

async function bundle(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "drey-store-child-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return bundleChild(folder, child)
}

async function finish(script: string, path: string, ...names: string[]): Promise<string[]> {
  const children = names.map((name) => startChild(script, path, name, "20"))
  for (const process of children) expect(await process.ended, process.errors()).toBe(0)
  const database = openDatabase(path)
  expect(database.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }])
  expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([])
  database.close()
  return withoutOrder(dumpStore(path))
}

/** The audit is numbered in the order in which several processes came. */
function withoutOrder(dump: string[]): string[] {
  return dump.map((row) => row.replace(/^memory_audit \["\d+",/, "memory_audit [")).sort()
}

test("processes that create, write and read the store at once give the same result as in sequence", async () => {
  const script = await bundle()
  const [together, alone] = [newStorePath(), newStorePath()]
  const dump = await finish(script, together, "a", "b", "c", "d")
  for (const name of ["a", "b", "c", "d"]) await finish(script, alone, name)
  expect(dump).toEqual(withoutOrder(dumpStore(alone)))
})

test("a process that is killed anywhere and repeats its work loses and duplicates nothing", async () => {
  const script = await bundle()
  const whole = await finish(script, newStorePath(), "a")
  const kills = Number(process.env.DREY_KILLS ?? 6)
  for (let kill = 0; kill < kills; kill++) {
    const path = newStorePath()
    const killed = startChild(script, path, "a", "20")
    let acknowledged = 0
    for (let seen = 0; seen < kill % 5; seen++) acknowledged = Number(await killed.nextLine())
    await new Promise((resolve) => setTimeout(resolve, (kill * 7) % 23)) // anywhere within one of its next steps
    killed.process.kill("SIGKILL")
    await killed.ended
    if (acknowledged > 0) {
      const done = dumpStore(path).filter((row) => row.startsWith("applied_ops")).length
      expect(done).toBeGreaterThanOrEqual(acknowledged)
    }
    expect(await finish(script, path, "a")).toEqual(whole)
  }
})
