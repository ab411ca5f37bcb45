import { readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import { makeFolder, source } from "../src/memories/staleness/test-repository.ts"
import { takeBlocks } from "./doc-blocks.ts"
import { mailDecisions, makeMailRepository } from "./mail-repository.ts"
import { reopen } from "./team-store.ts"
import { runWarm } from "./warm-cli.ts"

const request = { task: "Change the pauses between retries of mails", agent: "kane" }
const moved = "`src/mail/queue.ts` moved to `src/mail/retry.ts` on 2026-02-14"
const gone = "`src/mail/limits.ts` is gone since 2026-02-14"

test("a context marks an item whose references moved or are gone, and its token count includes that", async () => {
  const { drey, again } = makeTeam()
  const before = (await drey.context.build(request)).context
  expect(before.text).not.toContain("Checked by Drey")
  await drey.memories.staleness.judge()
  const { context } = await drey.context.build(request)
  expect(context.text).toContain(`\nChecked by Drey: ${moved}; ${gone}; and 2 more.\n\n`)
  expect(context.text.match(/Checked by Drey/g)).toHaveLength(1)
  expect(context.tokens).toBeGreaterThan(before.tokens)
  const isReady = async () => {
    await drey.context.build(request) // a file that was written this very moment is looked at once more
    return again.context.isReady()
  }
  await expect.poll(isReady, { timeout: 60_000 }).toBe(true)
  const { text } = (await again.context.build(request)).context // from the index as it is on disk
  expect(text.split("\n").slice(1)).toEqual(context.text.split("\n").slice(1))
  await again.close()
})

test("a note never takes a context over its budget", async () => {
  const { drey } = makeTeam()
  await drey.memories.staleness.judge()
  for (const budget of [150, 200, 250, 300, 350]) {
    const { context } = await drey.context.build({ ...request, budget })
    expect(context.tokens).toBeLessThanOrEqual(budget)
  }
})

test("what exists again, or was rewritten, is no longer called gone", async () => {
  const { drey, write } = makeTeam()
  await drey.memories.staleness.judge()
  write({ "src/mail/limits.ts": source("limit") })
  expect((await drey.context.build(request)).context.text).not.toContain(gone)
  expect((await drey.context.build(request)).context.text).toContain(moved)
  write({ ".squad/decisions.md": mailDecisions.replaceAll("src/mail/queue.ts", "src/mail/retry.ts") })
  expect((await drey.context.build(request)).context.text).not.toContain("Checked by Drey")
})

test("notes that are lost, damaged or cannot be read leave contexts as they were", async () => {
  const { drey, home } = makeTeam()
  const plain = (await drey.context.build(request)).context.text.split("\n").slice(1)
  await drey.memories.staleness.judge()
  const index = join(home, "index")
  const notes = join(index, readdirSync(index).find((name) => name.endsWith(".notes.jsonl")) ?? "")
  for (const content of ["", "{", "[]\n", '{"format":2}\n', "null\n", '{"format":1}\n["sem']) {
    writeFileSync(notes, content)
    expect((await drey.context.build(request)).context.text.split("\n").slice(1)).toEqual(plain)
  }
  rmSync(notes)
  expect((await drey.context.build(request)).context.text.split("\n").slice(1)).toEqual(plain)
})

test("a refresh judges where something may be different, and not twice in ten minutes", async () => {
  const { root, home, commit, write } = makeTeam()
  const at = (time: string) =>
    reopen(root, home, { now: () => new Date(`2026-02-16T${time}:00Z`) }).drey.memories.staleness
  expect(await (await at("12:00")).refresh()).toBe(true)
  expect(await (await at("12:09")).refresh()).toBe(false)
  expect(await (await at("12:11")).refresh()).toBe(false)
  write({ "src/new.ts": "" })
  commit("2026-02-16")
  expect(await (await at("12:12")).refresh()).toBe(true)
  expect(await (await at("18:11")).refresh()).toBe(false)
  expect(await (await at("18:13")).refresh()).toBe(true)
})

test("doctor counts the names and reports the worst; why shows those of one item; reindex --names checks again", async () => {
  const { root, home } = makeTeam()
  const run = async (...args: string[]) => (await runWarm(args, { cwd: root, env: { DREY_HOME: home } })).stdout
  const text = await run("doctor")
  expect(text).toMatch(
    /⚠️ {2}named files: 5 names in 2 items: 1 valid, 1 moved, 3 gone, 0 in heavily changed files, 0 unverifiable\. .*`src\/mail\/limits\.ts` is gone since 2026-02-14 \(sem-\w+\)/,
  )
  const { checks } = JSON.parse(await run("doctor", "--json"))
  const check = checks.find(({ name }: { name: string }) => name === "named files")
  expect(check.details.counts).toEqual({ gone: 3, moved: 1, changed: 0, valid: 1, unverifiable: 0 })
  const { id } = check.details.stale.at(-1)
  expect(check.details.stale.at(-1)).toMatchObject({
    kind: "path",
    path: "src/mail/queue.ts",
    verdict: { state: "moved", to: "src/mail/retry.ts", day: "2026-02-14" },
  })
  expect(await run("why", id)).toContain(`names        ${moved}\n`)
  expect(JSON.parse(await run("why", id, "--json")).names).toHaveLength(4)
  expect(await run("reindex", "--names")).toContain(`${id}  ${moved}\n`)
  expect(await run("context", "--agent", "kane", "--task", request.task)).toContain(moved)
})

test("docs/staleness.md shows what is printed", async () => {
  const { root, home } = makeTeam()
  const run = async (...args: string[]) => (await runWarm(args, { cwd: root, env: { DREY_HOME: home } })).stdout
  const shown = [`$ drey reindex --names\n${await run("reindex", "--names")}`]
  expect(takeBlocks("docs/staleness.md", "console", 1)).toEqual(shown)
  const [note] = /^Checked by Drey: .*$/m.exec(await run("context", "--agent", "kane", "--task", request.task)) ?? []
  expect(takeBlocks("docs/staleness.md", "text", 1)).toEqual([`${note}\n`])
})

function makeTeam() {
  const { root, write, commit } = makeMailRepository()
  const home = makeFolder()
  const environment = { DREY_HOME: home }
  const again = openDrey({ root, environment, now: () => new Date("2026-02-16T12:00:00Z") })
  return { root, home, write, commit, again, ...reopen(root, home) }
}
