import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { claudeSession } from "../../test/claude-session.ts"
import { beginPause, endPause, pauseOf } from "./pause.ts"
import { openTestLearning } from "./test-learning.ts"

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "drey-pause-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

const morning = "2026-03-02T08:00:00.000Z"
const noon = "2026-03-02T12:00:00.000Z"

test("a pause of one project does not affect the others, until it ends", () => {
  const home = newHome()
  expect(pauseOf(home, "p-one")).toBeUndefined()
  expect(beginPause(home, "project", "p-one", morning)).toBe(true)
  expect(pauseOf(home, "p-one")).toEqual({ of: "project", since: morning })
  expect(pauseOf(home, "p-two")).toBeUndefined()
  expect(endPause(home, "project", "p-one")).toBe(true)
  expect(pauseOf(home, "p-one")).toBeUndefined()
  expect(endPause(home, "project", "p-one")).toBe(false)
})

test("a global pause applies to every project, and a second one does not change its start", () => {
  const home = newHome()
  beginPause(home, "everything", "p-one", morning)
  expect(beginPause(home, "everything", "p-two", noon)).toBe(false)
  expect(pauseOf(home, "p-two")).toEqual({ of: "everything", since: morning })
})

test("a project that was paused separately stays paused when the global pause ends", () => {
  const home = newHome()
  beginPause(home, "project", "p-one", morning)
  beginPause(home, "everything", "p-one", noon)
  endPause(home, "everything", "p-one")
  expect(pauseOf(home, "p-one")).toEqual({ of: "project", since: morning })
})

test("only the user can read the pause file", () => {
  const home = newHome()
  beginPause(home, "everything", "", morning)
  expect(statSync(join(home, "paused", "everything")).mode & 0o777).toBe(0o600)
})

test("during a pause ingest and flush read and learn nothing, and say so; afterwards everything is read", async () => {
  const { home, root, learning } = openTestLearning()
  const session = claudeSession(home, { cwd: root, session: "one", start: morning })
  session.user("add the invoice total to the checkout page")
  learning.pause("project")
  const paused = [{ project: learning.project, pause: { of: "project", since: "2026-03-02T09:00:00.000Z" } }]
  expect(await learning.ingest()).toMatchObject({ records: 0, episodes: 0, paused })
  expect(await learning.flush()).toMatchObject({ episodes: 0, paused })
  expect((await learning.status()).pause).toEqual(paused[0]?.pause)
  learning.resume("project")
  expect(await learning.ingest()).toMatchObject({ records: 1, episodes: 1, paused: [] })
})
