import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { MemoryExplanation } from "../src/memories/review/outlook.ts"

import type { Context } from "../src/recall/context/context-builder.ts"
import { type ClaudeSession, claudeSession } from "./claude-session.ts"
import { type LearningPlace, learningPlace } from "./learning-place.ts"
import { makeRepository } from "./run-cli.ts"

const workspaceError = 'npm ERR! code EUNSUPPORTEDPROTOCOL\nnpm ERR! Unsupported URL Type "workspace:": workspace:*'

/** Last week: an agent fails with npm, is corrected, and gets it done with pnpm. */
function workWithoutMemory({ home, root }: LearningPlace): ClaudeSession {
  const start = new Date(Date.now() - 7 * 86_400_000).toISOString()
  const session = claudeSession(home, { cwd: root, session: "first", start })
  session.user("Add the invoice total to the checkout page and run the tests")
  session.assistant("I'll install the currency package first.")
  session.run("npm install currency", workspaceError, 1)
  session.run("npm install currency --force", workspaceError, 1)
  session.user("no, we use pnpm in this repository, never npm")
  session.run("pnpm add currency", "+ currency 4.0.1\nDone in 2.1s")
  session.edit("src/checkout.ts")
  session.run("pnpm test", " Tests  4 passed (4)")
  session.assistant("The total is on the page and all tests pass.")
  session.user("thanks, that works")
  return session
}

/** Today: the agent is handed a context, installs with pnpm at once, and nothing fails. */
function workWithContext({ home, root }: LearningPlace, name: string, task: string, show: (it: ClaudeSession) => void) {
  const session = claudeSession(home, { cwd: root, session: name, start: new Date().toISOString(), everyMs: 1 })
  session.user(task)
  show(session)
  session.run(`pnpm add ${name}`, `+ ${name} 1.0.0\nDone in 1.4s`)
  session.edit("src/checkout.ts")
  session.run("pnpm test", " Tests  5 passed (5)")
  session.user("thanks, that works")
}

type Status = { counts: { memories: Record<string, number> }; best: { id: string }[] }

test("a correction becomes a memory, the memory helps in three more sessions, is promoted and proposed to the team", async () => {
  const it = learningPlace()
  const first = workWithoutMemory(it)
  expect(await it.runJson("ingest")).toMatchObject({ files: 1, episodes: 1, memories: 1 })

  const tasks = [
    "Install the date-fns package for the checkout page",
    "Add the zod package and check the checkout form with it",
    "Install a package that formats the invoice total",
  ]
  const show = [
    (text: string) => (session: ClaudeSession) => session.hook(text),
    (text: string) => (session: ClaudeSession) => session.use("mcp__drey__get_task_context", { task: tasks[1] }, text),
    (text: string) => (session: ClaudeSession) =>
      session.record({
        type: "attachment",
        attachment: { type: "hook_success", hookEvent: "SessionStart", content: "", stdout: text, exitCode: 0 },
      }),
  ]
  let id = ""
  for (const [at, task] of tasks.entries()) {
    const context = await it.runJson<Context>("context", "--task", task)
    expect(context.included).toEqual([expect.objectContaining({ source: "learned", kind: "invariant" })])
    id = context.included[0]?.id ?? ""
    expect(context.text).toMatch(new RegExp(`^\\[m:${id.slice(2, 8)}\\] invariant · on trial · .+$`, "m"))
    expect(context.text).toMatch(/^> .*pnpm.*npm/m)
    workWithContext(it, `package${at}`, task, show[at]?.(context.text) ?? (() => {}))
    expect(await it.runJson("flush")).toMatchObject({ episodes: 1 })
  }
  const handle = `m:${id.slice(2, 8)}`

  const why = await it.runJson<MemoryExplanation>("why", handle)
  expect(why.memory).toMatchObject({
    id,
    origin: "user",
    trust: 3,
    owner: { type: "user", id: "ines" },
    metrics: { opportunities: 3, useCount: 3, passedOver: 0, hits: 3, misses: 0 },
  })
  expect(why.evidence).toEqual([
    expect.objectContaining({
      transcript: first.path,
      line: 7,
      quote: "no, we use pnpm in this repository, never npm",
    }),
  ])
  expect(JSON.parse(readFileSync(first.path, "utf8").split("\n")[6] ?? "")).toMatchObject({
    message: { content: why.evidence[0]?.quote },
  })
  expect(why.uses.map(({ outcome }) => outcome)).toEqual(["hit", "hit", "hit"])
  const inWords = (await it.run("why", handle)).stdout
  expect(inWords).toContain(`${first.path}:7`)
  expect(inWords).toContain("“no, we use pnpm in this repository, never npm”")
  expect(inWords).toMatch(/handed out 3 times.*helped 3 times/)

  await it.runJson("evaluate") // in case the last flush has not done so
  expect((await it.runJson<MemoryExplanation>("why", handle)).memory).toMatchObject({
    status: "active",
    tier: "long_term",
  })
  expect(await it.runJson<Status>("status")).toMatchObject({
    counts: { memories: { active: 1, provisional: 0 } },
    best: [{ id }],
  })

  const inbox = join(it.root, ".squad/decisions/inbox")
  const proposals = readdirSync(inbox).filter((name) => name.endsWith(".md"))
  expect(proposals).toHaveLength(1)
  const proposal = readFileSync(join(inbox, proposals[0] ?? ""), "utf8")
  expect(proposal).toMatch(/pnpm/)
  expect(proposal).toContain(id)
  expect((await it.run("validate")).code).toBe(0)
  expect(await it.runJson("evaluate")).toMatchObject({ decisions: [] }) // proposed once
  expect(readdirSync(inbox)).toEqual(proposals)
})

test("what the team took over is said once: the entry and the memory it came of are one", async () => {
  const rule = "invariant = { min_opportunities = 1, min_use_ratio = 0, min_regret_hits = 0 }"
  const it = learningPlace({ home: makeRepository({ ".drey/memory_policy.toml": `[promotion]\n${rule}\n` }) })
  workWithoutMemory(it)
  await it.runJson("ingest")
  await it.runJson("context", "--task", "Install the date-fns package for the checkout page")
  await it.runJson("evaluate")
  expect((await it.run("merge", "--accept-review")).code).toBe(0)
  const { text } = await it.runJson<Context>("context", "--task", "Should this project use pnpm or npm?")
  expect(text.match(/^> .*pnpm in this repository/gm)).toHaveLength(1)
})

test("a memory is found by search, shown by status, kept by pin and gone from contexts after forget", async () => {
  const it = learningPlace()
  workWithoutMemory(it)
  await it.runJson("ingest")
  const [hit] = await it.runJson<{ id: string; source: string }[]>("search", "pnpm", "--source", "learned")
  const id = hit?.id ?? ""
  expect(hit).toMatchObject({ id: expect.stringMatching(/^m-[0-9a-f]{16}$/), source: "learned" })
  expect((await it.run("status")).stdout).toMatch(
    new RegExp(`^m:${id.slice(2, 6)}[0-9a-f]* +trial +invariant: .*pnpm`, "m"),
  )
  expect((await it.run("status")).stdout).toMatch(/^memories +0 proven, 1 on trial, 0 ended$/m)

  await it.runJson("pin", `m:${id.slice(2, 8)}`)
  expect((await it.runJson<MemoryExplanation>("why", id)).memory.pinned).toBe(true)
  await it.runJson("pin", id, "--off")

  const task = "Install the date-fns package"
  expect((await it.runJson<Context>("context", "--task", task)).text).toContain("pnpm")
  expect(await it.runJson("forget", `m:${id.slice(2, 8)}`)).toMatchObject({ forgotten: [id], purged: false })
  expect(await it.runJson<Context>("context", "--task", task)).toMatchObject({ text: "", included: [] })
  expect(await it.run("search", "pnpm", "--source", "learned", "--json")).toMatchObject({ code: 1, stdout: "[]\n" })
  expect((await it.runJson<MemoryExplanation>("why", id)).memory.status).toBe("deprecated")
  expect(await it.runJson<Status>("status")).toMatchObject({ counts: { memories: { deprecated: 1 } }, best: [] })
  expect(await it.runJson("ingest")).toMatchObject({ records: 0, memories: 0 })
})

test("what was purged is nowhere any more, and reading its transcript again does not bring it back", async () => {
  const it = learningPlace()
  const session = workWithoutMemory(it)
  await it.runJson("ingest")
  const [hit] = await it.runJson<{ id: string }[]>("search", "pnpm", "--source", "learned")
  const id = hit?.id ?? ""
  expect(await it.runJson("forget", id, "--purge")).toMatchObject({ forgotten: [id], purged: true })
  expect(await it.run("why", id)).toMatchObject({ code: 1, stderr: expect.stringContaining(id) })
  expect(await it.run("search", "pnpm", "--source", "learned", "--json")).toMatchObject({ code: 1, stdout: "[]\n" })
  expect(await it.runJson("ingest", session.path)).toMatchObject({ memories: 0 })
  expect(await it.runJson("replay")).toMatchObject({ memories: 0 })
  expect((await it.runJson<Context>("context", "--task", "Install the date-fns package")).text).toBe("")
})

test("a session in which the old error comes back is a miss, and promotes nothing", async () => {
  const it = learningPlace()
  workWithoutMemory(it)
  await it.runJson("ingest")
  const task = "Install the date-fns package for the checkout page"
  const { text, included } = await it.runJson<Context>("context", "--task", task)
  const session = claudeSession(it.home, { cwd: it.root, session: "deaf", start: new Date().toISOString(), everyMs: 1 })
  session.user(task)
  session.hook(text)
  session.run("npm install date-fns", workspaceError, 1)
  session.user("no, we use pnpm in this repository, never npm")
  session.run("pnpm add date-fns", "+ date-fns 4.1.0")
  await it.runJson("flush")
  await it.runJson("evaluate")
  const { memory, uses } = await it.runJson<MemoryExplanation>("why", included[0]?.id ?? "")
  expect(memory).toMatchObject({ status: "provisional", metrics: { useCount: 1, hits: 0, misses: 1 } })
  expect(uses.map(({ outcome }) => outcome)).toEqual(["miss"])
  expect(memory.evidence).toBe(2) // said again: the same memory, better founded
})
