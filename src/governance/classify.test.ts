import { expect, test } from "vitest"
import { classify, isTransient } from "./classify.ts"

/** Assembled at run time, so that no source file appears to contain a secret. */
const secret = ["pass", "word=hunter2-Tr0ub4dor"].join("")

test.each([
  ["Always use arrow functions for callbacks.", "POLICY", "ALWAYS", "policy-inbox"],
  ["Don't push on Friday.", "POLICY", "ALWAYS", "policy-inbox"],
  ["From now on every test is named by a sentence.", "POLICY", "ALWAYS", "policy-inbox"],
  ["Going forward, releases are cut on Monday.", "POLICY", "ALWAYS", "policy-inbox"],
  ["We don't mock modules.", "POLICY", "ALWAYS", "policy-inbox"],
  ["Prefer composition over inheritance.", "POLICY", "ALWAYS", "policy-inbox"],
  ["We decided on one index.", "DECISION", "ALWAYS", "decision-inbox"],
  ["Use Vitest for unit tests.", "DECISION", "ALWAYS", "decision-inbox"],
  ["Copilot memory may hold this convention.", "COPILOT_MEMORY", "ON-DEMAND", "external-semantic"],
  ["The primary button hides behind the navbar.", "LOCAL", "ON-DEMAND", "local"],
])("%s is %s", (content, memoryClass, loadGuidance, destination) => {
  expect(classify({ content })).toMatchObject({ class: memoryClass, loadGuidance, destination, allowed: true })
})

test.each([
  ["content", { content: secret }],
  ["title", { content: "Fine.", title: secret }],
  ["author", { content: "Fine.", author: secret }],
  ["metadata", { content: "Fine.", metadata: { note: secret } }],
])("a secret in the %s makes a memory forbidden, and the reason names the rule only", (_, request) => {
  const classification = classify(request)
  expect(classification).toEqual({
    class: "FORBIDDEN",
    allowed: false,
    reason: "Rejected as forbidden memory: credential-like assignment",
    destination: "none",
    loadGuidance: "NEVER",
  })
})

test("a requested class is read in any spelling, and does not override the text's classification", () => {
  expect(classify({ content: "Fine.", class: " decision " }).class).toBe("DECISION")
  expect(classify({ content: "CI failed on main.", class: "DECISION" })).toMatchObject({
    class: "TRANSIENT",
    allowed: false,
    reason: "Transient task state is not persisted as durable memory",
  })
  expect(classify({ content: "Fine.", class: "forbidden" }).reason).toBe("Requested class is forbidden")
  expect(() => classify({ content: "Fine.", class: "SECRET" })).toThrow("Unknown memory class: SECRET")
})

test("load guidance is read bare or in brackets, in any case; an unknown one is an error only if the caller passes it", () => {
  expect(classify({ content: "Fine.", metadata: { loadGuidance: "[always]" } }).loadGuidance).toBe("ALWAYS")
  expect(classify({ content: "Fine.", metadata: { loadGuidance: "often" } }).loadGuidance).toBe("ON-DEMAND")
  expect(classify({ content: "Fine.", loadGuidance: "archive" }).loadGuidance).toBe("ARCHIVE")
  expect(() => classify({ content: "Fine.", loadGuidance: "often" })).toThrow("Unknown load guidance: often")
})

test("a statement about a current run is transient", () => {
  for (const text of [
    "CI failed on main",
    "CI failed on the release branch",
    "PR #12 is green now",
    "The build is broken",
    "Build failed.",
    "build passed",
    "CI is red again",
    "CI status: failed",
    "The pipeline is still running",
    "Pull request #4 is blocked",
    "All tests are passing on main",
    "Waiting for CI. PR #7 is still pending.",
    "Rerunning the pipeline",
    "3 of 9 checks failed",
    "main is green",
  ]) {
    expect({ text, transient: isTransient(text) }).toEqual({ text, transient: true })
  }
})

test("a rule, a lesson or a report that mentions runs is durable", () => {
  for (const text of [
    "PR status check is required",
    "CI must pass before merge",
    "Never merge when CI is red",
    "CI failed on main because the cache key lacked the lock file's hash",
    "Retry the upload if the build failed with a 502",
    "CI hygiene review scheduled",
    "Interested in build velocity",
    "Use pnpm for CI builds",
    "Failed tests are kept for 30 days",
    "We run the build on every push. The build failed once on Windows. Paths there need forward slashes.",
    "Open source builds use the public runner",
    "Decided to adopt TypeScript strict mode",
  ]) {
    expect({ text, transient: isTransient(text) }).toEqual({ text, transient: false })
  }
})

test("a long report is not transient because of one status line", () => {
  expect(isTransient(`Build passed.\n${"The parser now keeps comments and line ends. ".repeat(12)}`)).toBe(false)
})
