import { expect, test } from "vitest"
import { limitCalls } from "./limit-calls.ts"

test("no more run at once than may, and each begins in its turn", async () => {
  const limit = limitCalls(2)
  const begun: number[] = []
  const ends: (() => void)[] = []
  const results = [0, 1, 2, 3].map((at) =>
    limit.run(() => {
      begun.push(at)
      return new Promise<number>((resolve) => ends.push(() => resolve(at)))
    }),
  )
  await Promise.resolve()
  expect(begun).toEqual([0, 1])
  ends[1]?.()
  expect(await results[1]).toBe(1)
  expect(begun).toEqual([0, 1, 2])
  ends[0]?.()
  await results[0]
  ends[2]?.()
  await results[2]
  ends[3]?.()
  expect(await Promise.all(results)).toEqual([0, 1, 2, 3])
})

test("one that fails makes room like any other", async () => {
  const limit = limitCalls(1)
  const failing = limit.run(() => Promise.reject(new Error("no")))
  const next = limit.run(async () => "done")
  await expect(failing).rejects.toThrow("no")
  expect(await next).toBe("done")
})

test("it is idle when nothing runs and nothing waits", async () => {
  const limit = limitCalls(1)
  await limit.idle()
  let isDone = 0
  const count = async () => {
    await Promise.resolve()
    isDone++
  }
  limit.run(count)
  limit.run(count)
  await limit.idle()
  expect(isDone).toBe(2)
})
