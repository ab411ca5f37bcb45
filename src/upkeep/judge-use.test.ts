import { expect, test } from "vitest"
import { builtInPolicy } from "../formats/policy.ts"
import { judgeUse, type Trial } from "./judge-use.ts"

const baseline = { episodes: 5, errors: 2, retries: 1 }
const good: Trial = {
  exposed: true,
  recurred: false,
  corrected: false,
  credited: false,
  errors: 0,
  retries: 0,
  testsFailed: false,
  injected: 1,
}
const judge = (given: Partial<Trial>, than = baseline) => judgeUse({ ...good, ...given }, than, builtInPolicy)

test("a hit needs exposure, no recurrence, no correction, and no more errors than without any memory", () => {
  expect(judge({}).hit).toBe(true)
  expect(judge({ errors: 2 }).hit).toBe(true)
  expect(judge({ errors: 3 }).hit).toBe(false)
  expect(judge({ exposed: false }).hit).toBe(false)
  expect(judge({ recurred: true }).hit).toBe(false)
  expect(judge({ corrected: true }).hit).toBe(false)
})

test("as long as there is no baseline, tests that did not fail must do, and nothing is credited", () => {
  const young = { ...baseline, episodes: 4 }
  expect(judge({ errors: 9 }, young)).toEqual({ hit: true, miss: false, regretSaved: 0, netRegret: 0 })
  expect(judge({ testsFailed: true }, young).hit).toBe(false)
  expect(judge({ testsFailed: true }, baseline).hit).toBe(true)
})

test("a miss is an error that came back although the memory was put to the test", () => {
  expect(judge({ recurred: true }).miss).toBe(true)
  expect(judge({ recurred: true, exposed: false }).miss).toBe(false)
})

test("what somebody credits is a hit without any other sign, but not against one", () => {
  expect(judge({ credited: true, exposed: false, errors: 9 }).hit).toBe(true)
  expect(judge({ credited: true, recurred: true })).toMatchObject({ hit: false, miss: true })
  expect(judge({ credited: true, corrected: true }).hit).toBe(false)
})

test("the credit is shared by all that were handed out; the signed difference is kept as well", () => {
  expect(judge({ errors: 0, retries: 0, injected: 5 })).toMatchObject({ regretSaved: 0.5, netRegret: 0.5 })
  expect(judge({ errors: 4, retries: 0, injected: 1 })).toMatchObject({ regretSaved: 0.5, netRegret: -1.5 })
  expect(judge({ exposed: false })).toMatchObject({ regretSaved: 0, netRegret: 0 })
})
