import { expect, test } from "vitest"
import { clearOperations } from "./clear-operations.ts"
import type { Operation } from "./writer.ts"

const note: Extract<Operation, { op: "ADD" }> = {
  op: "ADD",
  scope: "project",
  owner: { type: "user", id: "ada" },
  kind: "note",
  tier: "short_term",
  polarity: 1,
  text: "The staging server needs a login.",
  confidence: 0.7,
  evidence: { source: "pattern_observed", frustration: "none" },
}
const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`

test("an operation with a secret is dropped by the rule's name, never by what it holds", () => {
  const { operations, dropped } = clearOperations([note, { ...note, text: `Log in with ${token}.` }])
  expect(operations).toEqual([note])
  expect(dropped).toEqual(["ADD: access token"])
})

test("a secret in the key, the path or the reason is refused as well", () => {
  const { operations, dropped } = clearOperations([
    { ...note, key: `project.${token}` },
    { ...note, scope: "repo_path", pathPrefix: `src/${token}` },
    { op: "DEPRECATE", target: "m-1", reason: `it was ${token}`, evidence: note.evidence },
  ])
  expect(operations).toEqual([])
  expect(dropped).toHaveLength(3)
  expect(dropped.join()).not.toContain(token)
})

test("people's addresses are taken out of a text that may stay", () => {
  const { operations } = clearOperations([{ ...note, text: "Ask jane.doe@acme-corp.io about releases." }])
  expect(operations).toMatchObject([{ text: "Ask [email] about releases." }])
})
