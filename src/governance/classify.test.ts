import { expect, test } from "vitest"
import { classify } from "./classify.ts"

/** Put together at run time: no file of ours looks like it holds a secret. */
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

test("a requested class is read in any spelling, and does not override what the text is", () => {
  expect(classify({ content: "Fine.", class: " decision " }).class).toBe("DECISION")
  expect(classify({ content: "CI failed on main.", class: "DECISION" })).toMatchObject({
    class: "TRANSIENT",
    allowed: false,
    reason: "Transient task state is not persisted as durable memory",
  })
  expect(classify({ content: "Fine.", class: "forbidden" }).reason).toBe("Requested class is forbidden")
  expect(() => classify({ content: "Fine.", class: "SECRET" })).toThrow("Unknown memory class: SECRET")
})

test("load guidance is taken bare or in brackets, in any case; an unknown one is an error only where the caller names it", () => {
  expect(classify({ content: "Fine.", metadata: { loadGuidance: "[always]" } }).loadGuidance).toBe("ALWAYS")
  expect(classify({ content: "Fine.", metadata: { loadGuidance: "often" } }).loadGuidance).toBe("ON-DEMAND")
  expect(classify({ content: "Fine.", loadGuidance: "archive" }).loadGuidance).toBe("ARCHIVE")
  expect(() => classify({ content: "Fine.", loadGuidance: "often" })).toThrow("Unknown load guidance: often")
})
