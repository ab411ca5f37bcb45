import { expect, onTestFinished, test, vi } from "vitest"
import { DreyError } from "../errors.ts"
import type { ChangeEvent } from "../learning/change-feed.ts"
import { followChanges } from "./follow-changes.ts"

test("looks do not queue up behind one that takes its time", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  let looks = 0
  let letGo: (() => void) | undefined
  const next = () => {
    looks++
    return new Promise<ChangeEvent[]>((resolve) => {
      letGo = () => resolve([])
    })
  }
  const following = followChanges({ next }, { pollMs: 10, onChange: () => {}, warn: () => {} })
  await vi.advanceTimersByTimeAsync(100)
  expect(looks).toBe(1)
  letGo?.()
  await vi.advanceTimersByTimeAsync(100)
  expect(looks).toBe(2)
  const ended = following.end()
  letGo?.()
  await vi.advanceTimersByTimeAsync(0)
  letGo?.()
  await ended
  expect(looks).toBe(3)
})

test("the same trouble is told once, and again when it was over meanwhile; a bug with the place it comes from", async () => {
  const told: string[] = []
  const outcomes = [
    new DreyError("no disk"),
    new DreyError("no disk"),
    [],
    new DreyError("no disk"),
    new TypeError("no name"),
  ]
  const feed = {
    async next() {
      const outcome = outcomes.shift() ?? []
      if (outcome instanceof Error) throw outcome
      return outcome
    },
  }
  const following = followChanges(feed, { pollMs: 1, onChange: undefined, warn: (message) => void told.push(message) })
  while (outcomes.length > 0) await following.look()
  expect(told).toEqual([
    "changes could not be read: no disk",
    "changes could not be read: no disk",
    expect.stringMatching(/^changes could not be read: TypeError: no name\n +at /),
  ])
})
