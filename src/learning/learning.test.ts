import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openTestLearning } from "./test-learning.ts"

test("a missing transcript is distinguished from a file that is not one", async () => {
  const { home, learning } = openTestLearning()
  const [gone, notes] = [join(home, "gone.jsonl"), join(home, "notes.md")]
  writeFileSync(notes, "# Notes\n")
  await expect(learning.ingest({ files: [gone] })).rejects.toThrow(`${gone} does not exist`)
  await expect(learning.ingest({ files: [notes] })).rejects.toThrow(`${notes} is not a transcript`)
})
