import { expect, test } from "vitest"
import { summarizeSpan } from "./archive-summary.ts"
import { attempt, decision, discovery } from "./test-entries.ts"

test("the summary has counts, decisions, failures with reasons, and lessons", () => {
  const summary = summarizeSpan({
    discoveries: [discovery("d-1", "10:00"), discovery("d-2", "10:00")],
    attempts: [
      attempt("a-1", "10:00"),
      attempt("a-2", "10:10", {
        description: "Retry the upload",
        result: "failure",
        error: "\n  The server closes the socket.\n  At line 4.\n",
        lessons: "- Send smaller parts\n- Ask first\n",
      }),
      attempt("a-3", "10:20", { description: "Send it in parts", result: "failure", approach: "One megabyte each" }),
    ],
    decisions: [decision("c-1", "10:30", { description: "Use the queue" })],
  })
  expect(summary).toBe(
    [
      "2 discoveries, 3 attempts (1 succeeded, 2 failed), 1 decision",
      "Decided:",
      "- Use the queue",
      "Failed:",
      "- Retry the upload: The server closes the socket.",
      "- Send it in parts: One megabyte each",
      "Lessons:",
      "- Send smaller parts",
    ].join("\n"),
  )
})

test("it stays short whatever it summarises, and shows the newest", () => {
  const attempts = Array.from({ length: 500 }, (_, index) =>
    attempt(`a-${index}`, "10:00", {
      description: `Try ${index} ${"again ".repeat(100)}`,
      result: "failure",
      error: "x".repeat(10_000),
      lessons: `Lesson ${index} ${"long ".repeat(100)}`,
    }),
  )
  const decisions = Array.from({ length: 500 }, (_, index) => decision(`c-${index}`, "10:00"))
  const summary = summarizeSpan({ discoveries: [], attempts, decisions })
  expect(summary.length).toBeLessThan(2_000)
  expect(summary).toContain("Failed (495 earlier ones are in the archive):\n- Try 495")
  expect(summary).toContain("- Lesson 499")
})

test("entries without content are summarised too", () => {
  const silent = attempt("a-1", "10:00", { description: "", result: "failure" })
  expect(summarizeSpan({ discoveries: [], attempts: [silent], decisions: [] })).toBe(
    "0 discoveries, 1 attempt (1 failed), 0 decisions\nFailed:\n- no description: no details",
  )
})
