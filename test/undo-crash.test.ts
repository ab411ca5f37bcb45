import { expect, test } from "vitest"
import { dreyIn, killEverywhere, setUpKilling } from "./kill-everywhere.ts"
import { fakeSecret } from "./legacy-fixtures.ts"
import { writeFiles } from "./run-cli.ts"

setUpKilling()

/** A file among the policies: the entries that a test counts are those of the team, not what waits for governance. */
const forbidden = { ".squad/memory/policy-inbox/rook.md": `Never tell ${fakeSecret()} to anybody\n` }

test("a merge that sets a file aside, killed before any of its file operations, is completed by the next run", async () => {
  const operations = await killEverywhere("merge", async (root) => writeFiles(root, forbidden))
  expect(operations).toBeGreaterThan(10)
})

test("undo of a merge that set a file aside, killed before any of its file operations, is completed", async () => {
  const operations = await killEverywhere("undo", async (root) => {
    writeFiles(root, forbidden)
    await dreyIn(root).team.merge()
  })
  expect(operations).toBeGreaterThan(4)
})
