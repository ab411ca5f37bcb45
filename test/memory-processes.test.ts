import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { expect, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import { makeRepository } from "./run-cli.ts"
import { bundleChild, startChild } from "./start-child.ts"

/**
 * A process that writes so many memories of its own, and says the id of each once it is stored. Where so many write on a busy machine
 * one is asked to retry, it does: a refusal acknowledges nothing.
 */
const writer = `
import { openDrey } from "../drey.ts"
const [root, name, count] = process.argv.slice(2)
const memory = openDrey({ root }).governed
const untilItsTurn = async (write) => {
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!error.message.includes("is held by another Drey process")) throw error
    }
  }
}
for (let number = 0; number < Number(count); number++) {
  const request = { content: \`Memory \${number} of \${name}\`, author: name, class: number % 2 === 0 ? "LOCAL" : "DECISION" }
  const result = await untilItsTurn(() => number % 10 === 9
    ? memory.writeForAgent(name, { content: request.content })
    : memory.write(request))
  process.stdout.write(\`\${result.id}\\n\`)
}
`

type Run = { root: string; acknowledged: string[]; errors: string[] }

/** Runs writers side by side. Each number in `kills` ends one of them, some milliseconds after its so-manieth memory; another takes over. */
async function runWriters(processes: number, writes: number, kills: { slot: number; after: number }[]): Promise<Run> {
  const root = makeRepository({ ".squad/team.md": "# Team\n" })
  const script = await bundleChild(makeRepository({}), writer)
  const acknowledged: string[] = []
  const errors: string[] = []
  const runSlot = async (slot: number) => {
    const ends = kills.filter((kill) => kill.slot === slot).map(({ after }) => after)
    for (let left = writes; left > 0; ) {
      const child = startChild(script, root, `agent-${slot}`, String(left))
      const after = ends.pop()
      let wasKilled = false
      for (let seen = 0, line = await child.nextLine(); line !== undefined; line = await child.nextLine()) {
        acknowledged.push(line)
        left--
        seen++
        if (after === undefined || wasKilled || seen < after) continue
        wasKilled = true
        await pause(Math.random() * 12) // anywhere within its next write
        child.process.kill("SIGKILL")
      }
      await child.ended
      if (!wasKilled && left > 0) {
        errors.push(child.errors())
        return
      }
    }
  }
  await Promise.all(Array.from({ length: processes }, (_, slot) => runSlot(slot)))
  return { root, acknowledged, errors }
}

async function expectAllFound({ root, acknowledged, errors }: Run): Promise<void> {
  expect(errors).toEqual([])
  const memory = openDrey({ root }).governed
  await memory.reindex()
  const index = JSON.parse(readFileSync(join(root, ".squad/memory/index.json"), "utf8"))
  const ids = index.map(({ id }: { id: string }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const known = new Set(ids)
  expect(acknowledged.filter((id) => !known.has(id))).toEqual([])
  const found = new Map((await memory.search("memory", { all: true })).map(({ id, snippet }) => [id, snippet]))
  expect(acknowledged.filter((id) => !/^Memory \d+ of agent-\d+$/.test(found.get(id) ?? ""))).toEqual([])
  const audited = new Set((await memory.audit()).map(({ id }) => id))
  expect(acknowledged.filter((id) => !audited.has(id))).toEqual([])
  expect(await memory.verifyAudit()).toMatchObject({ ok: true, problems: [], foreign: [] })
}

const temporaryFiles = (root: string) =>
  readdirSync(join(root, ".squad"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tmp"))

test("8 processes with 10 writes each lose nothing and leave no temporary file", async () => {
  const run = await runWriters(8, 10, [])
  expect(run.acknowledged).toHaveLength(80)
  await expectAllFound(run)
  expect(temporaryFiles(run.root)).toEqual([])
})

const count = Number(process.env.DREY_KILLS ?? 12)
const [processes, writes] = process.env.DREY_KILLS ? [16, 50] : [8, 20] // each takes as long as there are memories: 800 take minutes

test("processes that write, some of them killed at any moment, keep every write they acknowledged", {
  timeout: 120_000 + count * 6_000,
}, async () => {
  const kills = Array.from({ length: count }, () => ({
    slot: Math.floor(Math.random() * processes),
    after: 1 + Math.floor(Math.random() * 12),
  }))
  const run = await runWriters(processes, writes, kills)
  expect(run.errors).toEqual([])
  expect(run.acknowledged.length).toBeGreaterThanOrEqual(processes * writes)
  await expectAllFound(run)
  expect(statSync(join(run.root, ".squad/memory/index.json.corrupt"), { throwIfNoEntry: false })).toBeUndefined()
})
