import { expect, test } from "vitest"
import { findingsOf } from "./findings.ts"
import { prefilter } from "./prefilter.ts"
import { answers, edits, reads, runs, says, testEpisode, testEvents } from "./test-events.ts"

const filtered = (
  happened: Parameters<typeof testEvents>,
  given: Parameters<typeof testEpisode>[1] = {},
  isOn = true,
) => {
  const events = testEvents(...happened)
  return prefilter(testEpisode(events, given), findingsOf(events), isOn).kind
}

test("too few events, or nothing but reading, is skipped", () => {
  expect(filtered([says("hi"), answers("hello")])).toBe("skip")
  expect(filtered([says("where is it?"), ...reads("a.ts"), answers("here")])).toBe("skip")
})

test("work is kept, and so is talk in which nothing was called", () => {
  expect(filtered([says("add a cart"), ...edits("a.ts")])).toBe("keep")
  expect(filtered([says("why is it slow?"), answers("it sorts"), says("ok"), answers("yes")])).toBe("keep")
})

test("a correction, a rule, an error, red tests, frustration or a wish to flush is never skipped", () => {
  expect(filtered([...edits("a.ts"), says("no, the other file")])).toBe("keep")
  expect(filtered([says("we use pnpm here")])).toBe("keep")
  expect(filtered(runs("npm run build", 1, "x"))).toBe("keep")
  expect(filtered(runs("npm test | tail", 0, " Tests  1 failed (1)"))).toBe("keep")
  expect(filtered([says("hmm")])).toBe("keep")
  expect(filtered([says("hi")], { flushReason: "explicit" })).toBe("keep")
})

test("switched off, it keeps everything", () => {
  expect(filtered([says("hi")], {}, false)).toBe("keep")
})
