import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, readTree } from "../../../test/run-cli.ts"
import { buildContext, saveMemory } from "../../drey/squad.ts"
import { openDrey } from "../../drey.ts"
import { readEntries } from "../../formats/entries.ts"

const historyOf = (root: string, agent: string) => readFileSync(join(root, `.squad/agents/${agent}/history.md`), "utf8")

test("a memory is added to the end, and no earlier byte changes", async () => {
  const before = "# History\n\n- 2026-01-20: Indexes rot.\n"
  const root = makeRepository({ ".squad/agents/dallas/history.md": before })
  const outcome = await saveMemory("Dallas", "The button hides behind the navbar", { root })
  expect(outcome).toMatchObject({ kind: "stored", path: ".squad/agents/dallas/history.md" })
  const after = historyOf(root, "dallas")
  expect(after.startsWith(before)).toBe(true)
  expect(readEntries(after, { kind: "history", agent: "dallas" }).entries).toHaveLength(2)
  expect((await buildContext("dallas", { root })).text).toContain("The button hides behind the navbar")
})

test("an entry in SEM keeps its title, summary, details and tags; the time is Drey's", async () => {
  const root = makeRepository({ ".squad/team.md": "" })
  const now = () => new Date("2026-03-01T10:00:00Z")
  const entry = `### 2023-10-28: memory: Fixed CSS Button Z-Index
**type:** memory
**tags:** css
**summary:** The primary button gets hidden by the navbar unless z-index is 99.

**details:**

## Found

Look at the header.
`
  const drey = openDrey({ root, now })
  await drey.governed.saveForAgent("dallas", entry)
  await drey.governed.saveForAgent("dallas", { title: "Second", summary: "Same second", tags: ["css"] })
  const { entries } = readEntries(historyOf(root, "dallas"), { kind: "history", agent: "dallas" })
  expect(entries.map(({ entry: each }) => each)).toMatchObject([
    {
      title: "Fixed CSS Button Z-Index",
      summary: "The primary button gets hidden by the navbar unless z-index is 99.",
      details: "#### Found\n\nLook at the header.",
      tags: ["css"],
      timestamp: "2026-03-01T10:00:00+00:00",
      scope: "agent:dallas",
    },
    { title: "Second", summary: "Same second", timestamp: "2026-03-01T10:00:01+00:00" },
  ])
})

test("text refused by governance is not written, and the outcome names only the rule", async () => {
  const root = makeRepository({ ".squad/team.md": "" })
  const outcome = await saveMemory("dallas", ["pass", "word=hunter2-Tr0ub4dor"].join(""), { root })
  expect(outcome).toEqual({
    kind: "refused",
    class: "FORBIDDEN",
    reason: "Rejected as forbidden memory: credential-like assignment",
  })
  expect(() => historyOf(root, "dallas")).toThrow("ENOENT")
})

test("a name that is a path is refused", async () => {
  const root = makeRepository({ ".squad/team.md": "" })
  await expect(saveMemory("../dallas", "x", { root })).rejects.toThrow('"../dallas" is not an agent\'s name')
})

test.each(["../kane", "..", ".", "a/b", "a\\b", "", "  ", "/etc", "_alumni", "kane\u0000"])(
  "%j is refused as an agent's name, whatever the text, and nothing is written",
  async (name) => {
    const root = makeRepository({ ".squad/team.md": "" })
    const before = readTree(root)
    for (const text of ["Queues block", ["pass", "word=hunter2-Tr0ub4dor"].join("")])
      await expect(saveMemory(name, text, { root })).rejects.toThrow(`"${name}" is not an agent's name`)
    const memory = openDrey({ root }).governed
    await expect(memory.writeForAgent(name, { content: "Queues block" })).rejects.toThrow("is not an agent's name")
    expect(readTree(root)).toEqual(before)
  },
)
