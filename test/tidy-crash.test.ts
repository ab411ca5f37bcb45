import { expect, test } from "vitest"
import { killEverywhere, setUpKilling } from "./kill-everywhere.ts"

setUpKilling()

test("tidy killed before any of its file operations loses nothing, and the next run completes it", async () => {
  expect(await killEverywhere("tidy", async () => {})).toBeGreaterThan(10)
})
