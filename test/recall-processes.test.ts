import { resolve } from "node:path"
import { expect, test } from "vitest"
import { runProcesses } from "../bench/recall-speed/processes.ts"
import { makeRepository } from "./run-cli.ts"

test("12 processes that read while 4 write meet no error, and find every write as soon as it is acknowledged", async () => {
  const outcome = await runProcesses({
    folder: makeRepository({}),
    project: resolve(import.meta.dirname, ".."),
    entries: 60,
    readers: 12,
    writers: 4,
    writes: 3,
  })
  expect(outcome.errors).toEqual([])
  expect(outcome.stale).toEqual([])
  expect(outcome.writes).toBe(12)
  expect(outcome.searches).toBeGreaterThan(12)
}, 120_000)
