import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { semEntry } from "./legacy-fixtures.ts"
import { makeRepository } from "./run-cli.ts"
import { openTeam, teamFiles } from "./team-store.ts"
import { warmCliIn } from "./warm-cli.ts"

const task = "Log in with short tokens"

test("why shows an item's text, where it is, how it ranks and where it was handed out", async () => {
  const { run } = warmCliIn(makeRepository(teamFiles))
  const [{ id }] = JSON.parse((await run("search", task, "--json")).stdout)
  const before = await run("why", id)
  expect(before.code).toBe(0)
  expect(before.stdout).toContain(`Log in with short tokens [${id}]`)
  expect(before.stdout).toMatch(/^written +decision by Kane, Wren, 2026-02-10$/m)
  expect(before.stdout).toMatch(/^source +\.squad\/decisions\.md:\d+ \(decisions\)$/m)
  expect(before.stdout).toMatch(/^handed out +never yet$/m)
  expect(before.stdout).toContain("The session lasts fifteen minutes")
  const { taskId } = JSON.parse((await run("context", "--agent", "kane", "--task", task, "--json")).stdout)
  const { stdout } = await run("why", id, "--task", task)
  expect(stdout).toMatch(new RegExp(`^handed out +1 time, last \\S+Z for kane at rank \\d+ \\(task ${taskId}\\)$`, "m"))
  expect(stdout).toMatch(/^for the task +rank 1 of \d+, relevant \(score [\d.]+, relevance [\d.]+\)$/m)
  const document = JSON.parse((await run("why", id, "--task", task, "--json")).stdout)
  expect(document).toMatchObject({
    id,
    source: "decisions",
    type: "decision",
    path: ".squad/decisions.md",
    date: "2026-02-10T09:00:00.000Z",
    standing: { kind: "may stand", lane: "team", reason: "active decision" },
    uses: [{ taskId, agent: "kane", rank: expect.any(Number), at: expect.any(String) }],
    forTask: { rank: 1, of: expect.any(Number), score: expect.any(Number), signals: expect.any(Object) },
  })
})

test("why shows when an item is due for review", async () => {
  const { run } = warmCliIn(
    makeRepository({
      ".squad/decisions.md": semEntry("2024-02-10T09:00:00Z", "directive", "Freeze the lake", {
        fields: ["**expires:** 2024-03-01T00:00:00Z"],
      }),
    }),
  )
  const [{ id }] = JSON.parse((await run("search", "lake", "--json")).stdout)
  expect((await run("why", id)).stdout).toMatch(/^expires +2024-03-01; a review is due$/m)
})

test("an unknown id is reported with exit code 1, neither id nor task with exit code 2", async () => {
  const { run } = warmCliIn(makeRepository(teamFiles))
  expect(await run("why", "sem-000000000000")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("No item has the id sem-000000000000\n"),
  })
  expect((await run("why")).code).toBe(2)
})

test("a unique prefix of an id is enough, with or without sem-; an ambiguous one exits with 2", async () => {
  const ids = ["twin-one", "twin-two"]
  const { run } = warmCliIn(
    makeRepository({
      ...teamFiles,
      ".squad/decisions/twins.md": ids
        .map((id) => semEntry("2026-01-10T09:00:00Z", "decision", `About ${id}`, { fields: [`**id:** ${id}`] }))
        .join("\n"),
    }),
  )
  const [{ id }] = JSON.parse((await run("search", task, "--json")).stdout)
  const whole = await run("show", id)
  for (const typed of [id.slice(0, 10), id.slice(4, 12)]) expect(await run("show", typed)).toEqual(whole)
  expect(await run("show", "twin")).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/twin matches several ids\n.*twin-one, twin-two/),
  })
})

test("what was handed out for a task is found by its words, in any spacing and case, and by its id", async () => {
  const { run } = warmCliIn(makeRepository(teamFiles))
  const { taskId, included } = JSON.parse((await run("context", "--agent", "kane", "--task", task, "--json")).stdout)
  for (const name of [taskId, task, `  ${task.toUpperCase().replaceAll(" ", "  ")} `]) {
    const [record, ...others] = JSON.parse((await run("why", "--task", name, "--json")).stdout)
    expect(others).toEqual([])
    expect(record).toMatchObject({ taskId, agent: "kane", budget: 2000 })
    expect(record.items.map(({ id, rank }: { id: string; rank: number }) => [rank, id])).toEqual(
      included.map(({ id }: { id: string }, index: number) => [index + 1, id]),
    )
  }
  expect((await run("why", "--task", taskId)).stdout).toContain(included[0].id.slice(4, 8))
  const unknown = await run("why", "--task", "something else")
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("No context is recorded") })
})

test("a previewed context counts as not handed out", async () => {
  const { run } = warmCliIn(makeRepository(teamFiles))
  const { taskId } = JSON.parse((await run("context", "--agent", "kane", "--task", task, "--explain", "--json")).stdout)
  expect(await run("why", "--task", taskId)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("No context is recorded"),
  })
})

test("what a client's session was handed is listed with the reason for each item", async () => {
  const { run } = warmCliIn(makeRepository(teamFiles))
  await run("context", "--agent", "kane", "--task", task, "--session", "s-7")
  const { stdout } = await run("why", "--task", "s-7")
  expect(stdout).toMatch(/^t-\w+ {2}\S+ {2}kane \(session s-7\) {2}\d+ of 2000 tokens\n/)
  expect(stdout).toMatch(/^ {3}\d\. \S+ {2}\d+ tokens, .*relevant to the task/m)
})

test("an item whose title was edited is still known by its former id, also to what referred to it", async () => {
  const path = ".squad/decisions.md"
  const { root, drey } = openTeam({
    [path]: semEntry("2026-02-10T09:00:00Z", "decision", "Use a queue", {
      details: "The queue holds a thousand jobs.",
    }),
  })
  const find = async () => (await drey.context.build({ task: "queue jobs thousand" })).context.included[0]?.id ?? ""
  const former = await find()
  const text = readFileSync(join(root, path), "utf8")
  writeFileSync(join(root, path), text.replace(/^(### .*): Use a queue$/m, "$1: Use one durable queue"))
  const current = await find()
  expect(current).not.toBe(former)
  const { explanation } = await drey.search.explain(former)
  expect(explanation).toMatchObject({ formerId: former, item: { id: current, title: "Use one durable queue" } })
  expect(explanation?.uses).toHaveLength(2)
})

test("why shows what replaced a superseded item, and what that replaces", async () => {
  const { drey } = openTeam({
    ".squad/decisions.md": `${semEntry("2026-01-10T09:00:00Z", "decision", "Use tabs")}
${semEntry("2026-01-20T09:00:00Z", "decision", "Use spaces", { fields: ["**supersedes:** 2026-01-10T09:00:00Z"] })}`,
  })
  const { hits } = await drey.search.items({ query: { filters: [], terms: [] }, all: true })
  const [spaces, tabs] = hits
  expect((await drey.search.explain(tabs?.id ?? "")).explanation?.standing).toEqual({
    kind: "left",
    reason: `superseded by ${spaces?.id}`,
  })
  expect((await drey.search.explain(spaces?.id ?? "")).explanation?.item.supersedes).toEqual([tabs?.id])
})

test("nothing of an item reaches the terminal as a command to it", async () => {
  const { run } = warmCliIn(
    makeRepository({
      ".squad/decisions.md": `### 2026-02-10: Use \u001b[31mred\n**By:** Ro\u0007ok\n**What:** Paint \u001b]0;x\u0007.\n`,
    }),
  )
  const [{ id }] = JSON.parse((await run("search", "paint", "--json")).stdout)
  const { stdout } = await run("why", id)
  expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f]/)
})

test("why reports what was skipped, with exit code 1, and so does a context in Squad's format", async () => {
  const files = { ...teamFiles, ".squad/decisions/broken.md": Uint8Array.of(0xff, 0xfe, 0, 0xd8, 0) }
  const { run } = warmCliIn(makeRepository(files))
  const [{ id }] = JSON.parse((await run("search", task, "--json")).stdout)
  const { code, stdout, stderr } = await run("why", id)
  expect([code, stdout]).toEqual([1, expect.stringContaining(id)])
  expect(stderr).toMatch(/^drey: skipped: .*broken\.md/m)
  const { unreadable } = await openTeam(files).drey.context.forSquad("kane")
  expect(unreadable.map(({ path }) => path)).toEqual([".squad/decisions/broken.md"])
})
