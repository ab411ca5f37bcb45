import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import { readEntries } from "../src/formats/entries.ts"
import { legacyEntry } from "./legacy-fixtures.ts"
import { makeRepository } from "./run-cli.ts"
import { bundleChild, startChild } from "./start-child.ts"

/** A process that edits decisions.md and an agent's history over and over, each time with a text of its own. */
const editor = `
import { openDrey } from "../drey.ts"
const [root, name, count] = process.argv.slice(2)
const drey = openDrey({ root })
for (let number = 0; number < Number(count); number++) {
  const capture = await drey.team.captureDirective(\`Always take way \${number} of \${name}.\`, name)
  if (capture.kind !== "captured") throw new Error(capture.kind)
  await drey.governed.saveForAgent("kane", \`Lesson \${number} of \${name}\`)
  await drey.team.tidy()
}
`

test("two processes that edit the same files at once lose nothing", async () => {
  const writes = 8
  const old = Array.from({ length: 24 }, (_, index) =>
    legacyEntry("2026-01-05", `Choice ${index}`, { what: `Take it. ${"It reads well. ".repeat(60)}` }),
  )
  const root = makeRepository({ ".squad/decisions.md": `# Squad Decisions\n\n${old.join("\n")}` })
  const script = await bundleChild(makeRepository({}), editor)
  const children = ["Rook", "Wren"].map((name) => startChild(script, root, name, String(writes)))
  for (const child of children) expect(await child.ended, child.errors()).toBe(0)

  const titles = (path: string, kind: "decisions" | "archive" | "history") =>
    readEntries(readFileSync(join(root, ".squad", path), "utf8"), { kind }).entries.map(({ entry }) => entry.title)
  const decided = [...titles("decisions.md", "decisions"), ...titles("decisions-archive.md", "archive")].sort()
  const numbers = Array.from({ length: writes }, (_, number) => number)
  const expected = [
    ...old.map((_, index) => `Choice ${index}`),
    ...["Rook", "Wren"].flatMap((name) => numbers.map((number) => `Always take way ${number} of ${name}.`)),
  ]
  expect(decided).toEqual(expected.sort())
  const lessons = ["Rook", "Wren"].flatMap((name) => numbers.map((number) => `Lesson ${number} of ${name}`))
  expect(titles("agents/kane/history.md", "history")).toEqual(expect.arrayContaining(lessons))
  expect(await openDrey({ root }).governed.verifyAudit()).toMatchObject({ ok: true, problems: [] })
}, 60_000)
