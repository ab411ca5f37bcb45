import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { claudeSession } from "../../test/claude-session.ts"
import { openTestLearning } from "./test-learning.ts"

test("after a purge no byte in Drey's folder contains the text that the user typed", async () => {
  const { home, root, learning } = openTestLearning()
  const work = claudeSession(home, { cwd: root, session: "s1", start: "2026-03-01T09:00:00Z" })
  work.user("Show the sum of all rows in the invoice table")
  work.assistant("I'll begin with the table.")
  work.user("Always deploy from the zebra cluster. Never mail the okapi list.")
  work.edit("src/table.ts")
  work.run("make", "done")
  await learning.ingest()
  const index = join(home, ".drey", "index")
  mkdirSync(index)
  for (const name of ["00aa.db", "00aa.db-wal", "00aa.db.aside-1"]) writeFileSync(join(index, name), "zebra")
  writeFileSync(join(index, "notes.txt"), "kept")

  const [zebra] = (await learning.memories()).filter(({ text }) => text.includes("zebra"))
  expect(holding(join(home, ".drey"), "zebra")).not.toEqual([])
  await learning.forget([zebra?.id ?? ""], { purge: true })
  expect(holding(join(home, ".drey"), "zebra")).toEqual([])
  expect(existsSync(join(index, "notes.txt"))).toBe(true)
  expect((await learning.memories()).map(({ text }) => text)).toEqual(["Never mail the okapi list."])
})

test("forgetting without a purge does not change the indexes", async () => {
  const { home, root, learning } = openTestLearning()
  const work = claudeSession(home, { cwd: root, session: "s1", start: "2026-03-01T09:00:00Z" })
  work.user("always deploy from the zebra cluster")
  work.edit("src/table.ts")
  work.run("make", "done")
  await learning.ingest()
  mkdirSync(join(home, ".drey", "index"))
  writeFileSync(join(home, ".drey", "index", "00aa.db"), "")
  const [zebra] = await learning.memories()
  await learning.forget([zebra?.id ?? ""])
  expect(existsSync(join(home, ".drey", "index", "00aa.db"))).toBe(true)
})

function holding(folder: string, word: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile() && readFileSync(join(item.parentPath, item.name), "latin1").includes(word))
    .map(({ name }) => name)
}
