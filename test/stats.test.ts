import { expect, test } from "vitest"
import { makeRepository } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const day = new Date(Date.now() - 60_000).toISOString().slice(0, 19)
const decision = `### ${day}+0000: decision: One index

**type:** decision  
**timestamp:** ${day}+0000  
**author:** Kane  
**contributors:** Ripley  
**scope:** team  

**summary:** One index per checkout.

**rationale:** Two drifted apart.

---
`

test("stats shows tables and charts", async () => {
  const cwd = makeRepository({ ".squad/decisions.md": decision })
  const { code, stdout } = await runWarm(["stats", "--weeks", "4"], { cwd })
  expect(code).toBe(0)
  expect(stdout).toContain("1 entry, 0 superseded.")
  expect(stdout).toContain("Decisions per week (0.25 on average)")
  expect(stdout.match(/^\d{4}-W\d\d \d{4}-\d\d-\d\d {2}/gm)).toHaveLength(4)
  expect(stdout).toMatch(/█{30} 1$/m)
  expect(stdout).toContain("▁▁▁█  0 → 1 entries")
  expect(stdout).toMatch(/^Kane +1 +1 +0$/m)
  expect(stdout).toMatch(/^Ripley +0 +0 +1$/m)
  expect(stdout).toMatch(/^team +█+ 1 \(100 %\)$/m)
})

test("stats as JSON has every figure", async () => {
  const cwd = makeRepository({ ".squad/decisions.md": decision })
  const stats = JSON.parse((await runWarm(["stats", "--json"], { cwd })).stdout)
  expect(stats).toMatchObject({ entries: 1, superseded: 0, undated: 0 })
  expect(stats.weeks).toHaveLength(12)
  expect(stats.weeks.at(-1)).toMatchObject({ decisions: 1, entries: 1, total: 1 })
  expect(Object.keys(stats)).toEqual(
    expect.arrayContaining(["authors", "scopes", "types", "sources", "decisionsPerWeek"]),
  )
})

test("a number of weeks that is none is refused", async () => {
  const cwd = makeRepository({ ".squad/decisions.md": decision })
  for (const weeks of ["0", "two", "1.5", "-3"]) {
    const { code, stderr } = await runWarm(["stats", `--weeks=${weeks}`], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain("is not a number of weeks")
  }
})

test("an empty store has no statistics, and that is not an error", async () => {
  const cwd = makeRepository({ ".squad/decisions.md": "# Decisions\n" })
  expect(await runWarm(["stats"], { cwd })).toMatchObject({ code: 0, stdout: "No entries yet.\n" })
})
