import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { semEntry } from "../../test/legacy-fixtures.ts"
import { makeRepository } from "../../test/run-cli.ts"
import { readStore, storeReader } from "./team-entries.ts"
import { findStore } from "./team-folder.ts"

test("only changed files are read again, with the same result as a full read", () => {
  const root = makeRepository({
    ".squad/decisions.md": semEntry("2026-01-10T09:00:00+0000", "decision", "Use tabs"),
    ".squad/decisions/inbox/rook.md": "# Ship on Fridays\n\n**By:** Mona\n\nAs ever.\n",
  })
  const inbox = join(root, ".squad/decisions/inbox/rook.md")
  const now = new Date("2026-03-01T10:00:00Z")
  const read = storeReader()
  const store = findStore(root, `${root}/home`)
  const first = read(store, now)
  expect(read(store, now)).toBe(first)
  const changes = [
    () => writeFileSync(inbox, "# Ship on Mondays\n\n**By:** Mona\n\nAs never.\n"),
    () => mkdirSync(join(root, ".squad/agents/mona"), { recursive: true }),
    () => rmSync(inbox),
    () => writeFileSync(inbox, Buffer.from([0xff, 0xfe, 0x00])),
  ]
  for (const change of changes) {
    change()
    const reading = read(store, now)
    expect(reading).toEqual(readStore(store, now))
    expect(read(store, now)).toBe(reading)
  }
  const decisions = ({ files }: ReturnType<typeof read>) => files.find(({ source }) => source === "decisions")
  writeFileSync(inbox, "# Ship\n\nNow.\n")
  expect(decisions(read(store, now))).toBe(decisions(read(store, now)))
})
