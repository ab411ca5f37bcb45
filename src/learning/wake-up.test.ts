import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { openWakeUp } from "./wake-up.ts"

const veryLong = 3_600_000

function open() {
  const folder = mkdtempSync(join(tmpdir(), "drey-wake-"))
  const ending = new AbortController()
  const wakeUp = openWakeUp(ending.signal)
  onTestFinished(() => {
    wakeUp.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { folder, ending, wakeUp }
}

test("a file that changes in a watched folder ends the wait", async () => {
  const { folder, wakeUp } = open()
  wakeUp.listenTo([folder])
  const waiting = wakeUp.wait(veryLong)
  writeFileSync(join(folder, "session.jsonl"), "{}\n")
  await waiting
})

test("what changed before the wait is not missed", async () => {
  const { folder, wakeUp } = open()
  wakeUp.listenTo([folder])
  writeFileSync(join(folder, "session.jsonl"), "{}\n")
  await wakeUp.wait(veryLong)
})

test("without any event the time passes, and a folder that is not there disturbs nothing", async () => {
  const { folder, wakeUp } = open()
  wakeUp.listenTo([join(folder, "nowhere")])
  const before = performance.now()
  await wakeUp.wait(30)
  expect(performance.now() - before).toBeGreaterThan(25)
})

test("the signal ends the wait, and every later one", async () => {
  const { ending, wakeUp } = open()
  const waiting = wakeUp.wait(veryLong)
  ending.abort()
  await waiting
  await wakeUp.wait(veryLong)
})
