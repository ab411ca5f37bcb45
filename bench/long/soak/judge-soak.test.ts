import { expect, test } from "vitest"
import { judgeSoak } from "./judge-soak.ts"
import { noteFault, noteRun, openSoakLog, type SoakLog } from "./soak-log.ts"

/** Half an hour in which all went well. */
function calmLog(): SoakLog {
  const log = openSoakLog()
  for (let number = 0; number < 300; number++) {
    noteRun(log, "kane", "done")
    log.contexts.push({ at: number, ms: 400 + (number % 10) })
    log.memory.push({ name: "ui", life: 1, minute: number / 10, megabytes: 90 + (number % 7) })
  }
  return log
}

const verdicts = (log: SoakLog) => judgeSoak(log, 30, ["kane"]).map(({ verdict }) => verdict)
const broken = (log: SoakLog) => judgeSoak(log, 30, ["kane"]).filter(({ verdict }) => verdict === "broken")

test("a calm half hour stays within every limit, and noise is not growth", () => {
  expect(verdicts(calmLog())).toEqual(["kept", "kept", "kept", "kept", "kept"])
})

test("a process that grows all the time is found", () => {
  const log = calmLog()
  for (const each of log.memory) each.megabytes += 5 * each.minute
  expect(broken(log)).toMatchObject([
    { limit: expect.stringContaining("ui grows"), seen: expect.stringMatching(/^5\.0/) },
  ])
})

test("contexts that get slower are found", () => {
  const log = calmLog()
  for (const each of log.contexts.slice(200)) each.ms *= 4
  expect(broken(log)).toMatchObject([{ limit: expect.stringContaining("contexts of the last third") }])
})

test("a run in which every write fails does not pass, though nothing is lost", () => {
  const log = calmLog()
  log.runs.clear()
  for (let number = 0; number < 300; number++) noteRun(log, "kane", "failed")
  expect(broken(log).map(({ seen }) => seen)).toEqual(["kane 0", "kane 300"])
})

test("one failure is forgiven, and being killed is none", () => {
  const log = calmLog()
  noteRun(log, "tidy", "failed")
  for (let number = 0; number < 50; number++) noteRun(log, "kane", "killed")
  expect(broken(log)).toEqual([])
})

test("a process that exited unexpectedly is found", () => {
  const log = calmLog()
  noteFault(log, "watch", "ended by itself with 1: out of files")
  expect(broken(log)).toMatchObject([{ seen: "1 times watch ended by itself with 1: out of files" }])
})

test("what a short run cannot measure is not judged", () => {
  const log = openSoakLog()
  for (let number = 0; number < 3; number++) noteRun(log, "kane", "done")
  log.memory.push(
    { name: "ui", life: 1, minute: 1.6, megabytes: 90 },
    { name: "ui", life: 1, minute: 2, megabytes: 190 },
  )
  log.contexts.push({ at: 0, ms: 1 }, { at: 1, ms: 1 }, { at: 2, ms: 900 })
  expect(judgeSoak(log, 2, ["kane"]).map(({ verdict }) => verdict)).toEqual([
    "too short to tell",
    "too short to tell",
    "kept",
    "kept",
    "kept",
  ])
})
