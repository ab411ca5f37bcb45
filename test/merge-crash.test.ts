import { expect, test } from "vitest"
import { dreyIn, killEverywhere, setUpKilling } from "./kill-everywhere.ts"

setUpKilling()

test.each(["merge", "archive"] as const)(
  "%s killed before any of its file operations loses nothing, and the next run completes it",
  async (command) => {
    expect(await killEverywhere(command, async () => {})).toBeGreaterThan(10)
  },
)

test("undo killed before any of its file operations loses nothing, and the next command completes it", async () => {
  const operations = await killEverywhere("undo", async (root) => {
    await dreyIn(root).team.archive()
  })
  expect(operations).toBeGreaterThan(4)
})
