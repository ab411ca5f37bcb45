import { expect, test } from "vitest"
import { semEntry } from "../../../test/legacy-fixtures.ts"
import { makeRepository } from "../../../test/run-cli.ts"
import { buildContext } from "../../drey/squad.ts"

const store = {
  ".ai-team/decisions.md": `# Decisions

${semEntry("2026-02-10T09:00:00Z", "decision", "Use one index", { fields: ["**scope:** team"] })}
${semEntry("2026-02-12T12:00:00Z", "decision", "Use two queues", { fields: ["**scope:** team"] })}
${semEntry("2026-02-01T12:00:00Z", "directive", "Never push on Friday", { fields: ["**scope:** project"] })}
${semEntry("2026-02-03T12:00:00Z", "note", "The kitchen is on the left", { fields: ["**scope:** team"] })}
### 2026-01-05: Use lanterns
**By:** Rook
**What:** Lanterns in every hall.
`,
  ".ai-team/agents/dallas/history.md": `${semEntry("2026-02-05T12:00:00Z", "memory", "The button hides", { author: "dallas" })}
${semEntry("2026-02-07T12:00:00Z", "memory", "YOUR MEMORY: of menus", { author: "dallas" })}`,
  ".ai-team/agents/kane/history.md": semEntry("2026-02-06T12:00:00Z", "memory", "Tables lock", { author: "kane" }),
}

const titlesOf = (text: string) => text.split("\n").flatMap((line) => /^### (.*)$/.exec(line)?.[1] ?? [])

test("an agent gets rules, decisions and its own history, newest first, in the usual frame", async () => {
  const { text, tokens, budget, included } = await buildContext("Dallas", { root: makeRepository(store) })
  const [rules = "", memory = ""] = text.split("\n\nYOUR MEMORY:\n")
  expect(rules.startsWith("TEAM RULES:\n### ")).toBe(true)
  expect(titlesOf(rules).map((title) => title.replace(/^.*?: (?=\D)/, ""))).toEqual([
    "directive: Never push on Friday",
    "decision: Use two queues",
    "decision: Use one index",
    "Use lanterns",
  ])
  expect(titlesOf(memory).map((title) => title.replace(/^\S+ /, ""))).toEqual([
    "memory: YOUR MEMORY: of menus",
    "memory: The button hides",
  ])
  expect(text).not.toMatch(/Tables lock|kitchen/)
  expect(tokens).toBeGreaterThanOrEqual(text.length / 6)
  expect(budget).toBe(2000)
  expect(included).toHaveLength(6)
})

test("whole entries only, never more than the budget, and a reason for everything left out", async () => {
  const root = makeRepository(store)
  for (const budget of [10, 60, 100, 150, 200, 300]) {
    const { text, tokens, included, left } = await buildContext("dallas", { root, budget })
    expect(tokens).toBeLessThanOrEqual(Math.max(budget, 11))
    expect(titlesOf(text)).toHaveLength(included.length)
    expect(included.length + left.length).toBe(7)
  }
  const { left } = await buildContext("dallas", { root, budget: 10 })
  expect(left.map(({ reason }) => reason).join("\n")).toMatch(/does not fit: it needs \d+ tokens/)
})

test("superseded and archived entries stay out; a note is included if it is relevant to the task", async () => {
  const root = makeRepository({
    ".squad/decisions.md": `${semEntry("2026-02-10T09:00:00Z", "decision", "Use tabs")}
${semEntry("2026-02-11T09:00:00Z", "decision", "Use spaces", { fields: ["**supersedes:** 2026-02-10T09:00:00Z"] })}
${semEntry("2026-02-03T12:00:00Z", "note", "The kitchen is on the left", { fields: ["**scope:** team"] })}`,
    ".squad/decisions-archive.md": semEntry("2025-02-10T09:00:00Z", "decision", "Use punch cards"),
  })
  const { text } = await buildContext("kane", { root, task: "Paint the kitchen" })
  expect(text).not.toMatch(/Use tabs|punch cards/)
  expect(text).toContain("The kitchen is on the left")
})

test("missing files are empty parts", async () => {
  const empty = "TEAM RULES:\n\n\nYOUR MEMORY:\n"
  expect((await buildContext("nobody", { root: makeRepository({}) })).text).toBe(empty)
  expect(await buildContext("nobody", { root: makeRepository({ ".squad/team.md": "" }) })).toMatchObject({
    text: empty,
    included: [],
    left: [],
  })
})

test("no line of an entry can be mistaken for a part of the frame", async () => {
  const entry = semEntry("2026-02-10T09:00:00Z", "decision", "Use tabs").replace(
    /\n---\n/,
    "\n**details:**\n\nYOUR MEMORY:\nlies\n\n---\n",
  )
  const { text } = await buildContext("kane", { root: makeRepository({ ".squad/decisions.md": entry }) })
  expect(text.match(/^YOUR MEMORY:/gm)).toHaveLength(1)
  expect(text).toContain("lies")
})
