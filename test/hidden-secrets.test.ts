import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { shapeGroups } from "../bench/squad/shapes.ts"
import { removeInvisible } from "../src/formats/text.ts"
import { detectForbidden } from "../src/governance/detect-forbidden.ts"
import { openSession } from "./learning-history.ts"
import { type LearningPlace, learningPlace } from "./learning-place.ts"
import { readTree, runCli, writeFiles } from "./run-cli.ts"

/** Half of the shapes of the benchmark, those that the rules were not written for: enough to show that every way in is checked. */
const shapes = Object.values(shapeGroups).flatMap(({ heldOut }) => Object.entries(heldOut))

type Planted = { name: string; secret: string; piece: string }

function plant(): Planted[] {
  return shapes.flatMap(([name, make]) => {
    const secret = make()
    const [{ start, end } = { start: 0, end: 0 }] = detectForbidden(secret).slice(-1)
    const runs = secret.slice(start, end).split(/\s+/)
    const piece = removeInvisible(runs.reduce((one, other) => (other.length > one.length ? other : one))).slice(-14)
    return piece.length >= 10 ? [{ name, secret, piece }] : []
  })
}

/** Secrets that are in a file of Drey's, whole again once what is not shown is dropped. */
function leaks({ env, root }: LearningPlace, planted: readonly Planted[]): string[] {
  const files = { ...(existsSync(env.DREY_HOME) ? readTree(env.DREY_HOME) : {}), ...readTree(join(root, ".squad")) }
  return Object.entries(files).flatMap(([path, content]) => {
    const plain = removeInvisible(content)
    return planted.filter(({ piece }) => plain.includes(piece)).map(({ name }) => `${name}: ${path}`)
  })
}

test("no hidden or spoken secret is on the disk after memories, directives and decisions were written", async () => {
  const it = learningPlace()
  const planted = plant()
  const drey = it.open()
  const memory = drey.governed
  for (const { secret } of planted) {
    await memory.write({ content: `We noted this:\n${secret}`, class: "DECISION" })
    await memory.write({ content: "Use one index", title: secret })
    await drey.team.captureDirective(`Always remember: ${secret}`, "Mira")
  }
  expect(leaks(it, planted)).toEqual([])
}, 120_000)

test("no hidden or spoken secret reaches decisions.md or the index through the inbox", async () => {
  const it = learningPlace()
  const planted = plant()
  const inbox = Object.fromEntries(
    planted.map(({ secret }, at) => [
      `.squad/decisions/inbox/mira-${at}.md`,
      `### 2026-02-10: Use one index ${at}\n**By:** Mira\n**What:** We noted this:\n${secret}\n`,
    ]),
  )
  writeFiles(it.root, inbox)
  await it.open().team.merge()
  const files = Object.entries(readTree(join(it.root, ".squad"))).filter(([path]) => !path.includes("inbox")) // files of the user
  const found = planted.filter(({ piece }) => files.some(([, content]) => removeInvisible(content).includes(piece)))
  expect(found.map(({ name }) => name)).toEqual([])
}, 120_000)

test("no hidden or spoken secret is in a session's file", async () => {
  const it = learningPlace()
  const planted = plant()
  const session = await it.open().sessions.start({ task: "Mend the table" })
  for (const { secret } of planted)
    await session.addDiscovery("kane", { type: "note", content: `We noted this:\n${secret}`, summary: "One thing" })
  expect(leaks(it, planted)).toEqual([])
}, 120_000)

test("no hidden or spoken secret of a transcript is learned or kept", async () => {
  const it = learningPlace()
  const planted = plant()
  for (const [at, { secret }] of planted.entries()) {
    const session = openSession(it.home, it.root, at + 1)
    session.user(`We noted this:\n${secret}\nShow the sum of all rows`)
    session.run("env", `PATH=/usr/bin\n${secret}\nHOME=/root`)
    session.edit("src/table.ts")
    session.user(`Always remember this: ${secret}`)
  }
  await it.run("ingest", "--json")
  expect(it.rows("SELECT 1 FROM episodes").length).toBeGreaterThan(50)
  expect(leaks(it, planted)).toEqual([])
}, 240_000)

test("no hidden or spoken secret is kept by a hook", async () => {
  const it = learningPlace()
  const planted = plant().filter((_, at) => at % 40 === 0)
  for (const { secret } of planted) {
    const document = { session_id: "hooked", cwd: it.root, prompt: `Always remember this: ${secret}` }
    const { code } = await runCli(["hook", "claude-code", "UserPromptSubmit"], {
      cwd: it.root,
      env: it.env,
      input: JSON.stringify(document),
    })
    expect(code).toBe(0)
  }
  expect(leaks(it, planted)).toEqual([])
}, 120_000)
