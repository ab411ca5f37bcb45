import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { legacyEntry } from "../../test/legacy-fixtures.ts"
import { makeRepository } from "../../test/run-cli.ts"
import { findStore } from "../team/team-folder.ts"
import { openRecall, type Recall } from "./recall.ts"

const decisions = ".squad/decisions.md"

test("an index that was current a while ago is checked again before it answers", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 }) // the files have not changed for a minute
  onTestFinished(() => void vi.useRealTimers())
  const root = makeRepository({ [decisions]: legacyEntry("2026-02-05", "Use tabs") })
  const home = makeRepository({})
  const open = async () => {
    const store = findStore(root, home)
    const place = { store, home, now: () => new Date(), resident: false }
    const recall = await openRecall({ ...place, sessions: () => undefined, warn: () => {} })
    onTestFinished(recall.close)
    return recall
  }
  const titles = async ({ ask }: Recall) => {
    const { answer } = await ask(({ index }) => index.select({ agent: "*" }, { now: 0 }))
    return answer.map(({ title }) => title)
  }
  await titles(await open())

  const recall = await open()
  expect(await recall.isCurrent()).toBe(true)
  writeFileSync(join(root, decisions), legacyEntry("2026-02-05", "Use lamps"))
  vi.setSystemTime(Date.now() + 5000)
  expect(await titles(recall)).toEqual(["Use lamps"])
})
