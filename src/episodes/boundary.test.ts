import { expect, test } from "vitest"
import type { TranscriptEvent } from "../clients/transcript-event.ts"
import { builtInPolicy } from "../formats/policy.ts"
import { boundaryScore, type Similarity } from "./boundary.ts"
import { answers, edits, runs, says, testEvents } from "./test-events.ts"

const task = [says("add a discount field to the cart page"), ...edits("src/cart.ts"), answers("The cart has it.")]

function score(before: Partial<TranscriptEvent>[], message: Partial<TranscriptEvent>, similarity?: Similarity): number {
  const events = testEvents(...before, message)
  const last = events.pop()
  if (last === undefined) throw new Error("There is no message.")
  return Number(boundaryScore(events, last, builtInPolicy.episode, similarity).toFixed(2))
}

const about = "make the discount field in the cart page optional"
const elsewhere = "weekly newsletter template needs another footer"

test("a task that has barely begun goes on, whatever is said", () => {
  expect(score(task.slice(0, 2), says("Unrelated: the favicon is missing"))).toBe(0)
})

test("words that the task knows speak against another one, words that it does not know for one", () => {
  expect(score(task, says(about))).toBe(-0.25)
  expect(score(task, says(elsewhere))).toBe(0.3)
})

test("a few words say nothing, nor do a rule's own words or a short message about this", () => {
  expect(score(task, says("footer needed"))).toBe(0)
  expect(score(task, says("remember that fridays are without deployments"))).toBe(0)
  expect(score(task, says("hide this behind another toggle switch"))).toBe(0)
})

test("a pause counts by its length", () => {
  const at = (minutes: number) => says(elsewhere, { ts: new Date(Date.UTC(2026, 2, 1, 9, 3 + minutes)).toISOString() })
  expect(score(task, at(9))).toBe(0.3)
  expect(score(task, at(10))).toBe(0.5)
  expect(score(task, at(30))).toBe(0.8)
  expect(score(task, says(elsewhere, { ts: "" }))).toBe(0.3)
})

test("how a message begins counts", () => {
  expect(score(task, says("next, the newsletter template footer"))).toBe(0.75)
  expect(score(task, says("also the newsletter template footer"))).toBe(-0.2)
  expect(score(task, says("no, the newsletter template footer"))).toBe(-0.2)
  expect(score(task, says("thanks"))).toBe(-0.5)
})

test("who says that it is something else is believed, although the words are known", () => {
  expect(score(task, says("different topic: the cart page discount field"))).toBe(0.75)
})

test("files that the task knows, or only new ones", () => {
  expect(score(task, says("have a look at src/cart.ts"))).toBe(-0.5) // the words are known as well
  expect(score(task, says("have a look at mail/footer.html"))).toBe(0.45)
})

test("a task that ended well lets go, one that is broken holds on", () => {
  expect(score([...task, ...runs("npm test", 0)], says(elsewhere))).toBe(0.5)
  expect(score([...task, ...runs("npm test", 1, "x")], says(elsewhere))).toBe(0.05)
})

test("another branch counts", () => {
  const on = (branch: string) => [says("add a discount field to the cart page", { branch }), ...task.slice(1)]
  expect(score(on("main"), says(elsewhere, { branch: "main" }))).toBe(0.3)
  expect(score(on("main"), says(elsewhere, { branch: "mail" }))).toBe(0.6)
})

test("meaning takes the place of words where somebody can tell it", () => {
  expect(score(task, says(elsewhere), () => 0.9)).toBe(-0.25)
  expect(score(task, says(elsewhere), () => 0.4)).toBe(0)
  expect(score(task, says(about), () => 0.1)).toBe(0.3)
})
