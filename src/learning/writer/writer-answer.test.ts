import { expect, test } from "vitest"
import { inputOf, known, said } from "./test-input.ts"
import { findAnswer, readAnswer, salvageAnswer } from "./writer-answer.ts"

const input = inputOf([said("we use pnpm"), said("thanks")], {
  known: [known(1, "m-aaaaaaaaaaaaaaaa", "This project uses npm.", { key: "project.package_manager" })],
})

function operationsOf(...ops: Record<string, unknown>[]) {
  const read = readAnswer({ ops }, input)
  if (read.kind === "unusable") throw new Error(read.reason)
  return read
}

test("a number becomes the id of its memory", () => {
  const { operations } = operationsOf(
    { op: "UPDATE", target_memory_id: 1, kind: "invariant", text: "This project uses pnpm." },
    { op: "DEPRECATE", target_memory_id: 1, text: "It moved to pnpm." },
  )
  expect(operations).toMatchObject([
    { op: "UPDATE", target: "m-aaaaaaaaaaaaaaaa", text: "This project uses pnpm." },
    {
      op: "DEPRECATE",
      target: "m-aaaaaaaaaaaaaaaa",
      reason: "It moved to pnpm.",
      evidence: { source: "pattern_observed" },
    },
  ])
})

test("an unknown number ends nothing; its update becomes an addition", () => {
  const { operations, dropped } = operationsOf(
    { op: "UPDATE", target_memory_id: 9, kind: "note", text: "Something." },
    { op: "DEPRECATE", target_memory_id: 9 },
    { op: "DEPRECATE", target_memory_id: null },
  )
  expect(operations).toMatchObject([{ op: "UPDATE", target: undefined, text: "Something." }])
  expect(dropped).toEqual(["operation 2: there is no known memory 9", "operation 3: it names no memory to deprecate"])
})

test("of an endless answer the first operations are read, ignored ones do not count", () => {
  const add = { op: "ADD", kind: "note", text: "Something." }
  const { operations, dropped } = operationsOf({ op: "IGNORE" }, ...Array.from({ length: 200 }, () => add))
  expect(operations).toHaveLength(50)
  expect(dropped).toHaveLength(150)
  expect(dropped[0]).toBe("operation 52: over the limit of 50")
})

test("fields that a model omitted get a conservative value", () => {
  expect(operationsOf({ op: "ADD", kind: "pattern", text: "Build before the tests." }).operations).toEqual([
    {
      op: "ADD",
      scope: "project",
      owner: { type: "user", id: "ada" },
      kind: "pattern",
      tier: "short_term",
      polarity: 1,
      text: "Build before the tests.",
      confidence: 0.5,
      evidence: { source: "pattern_observed", frustration: "none" },
    },
  ])
})

test("days to live are a number, none for null, and the tier's if omitted", () => {
  const [never, month, usual] = [{ ttl_days: null }, { ttl_days: 30 }, {}].map(
    (ttl) => operationsOf({ op: "ADD", kind: "note", text: "Something.", ...ttl }).operations[0],
  )
  expect(never).toMatchObject({ ttlDays: null })
  expect(month).toMatchObject({ ttlDays: 30 })
  expect(usual).not.toHaveProperty("ttlDays")
})

test("a path is normalised; without a usable one the store looks for it", () => {
  const op = { op: "ADD", kind: "note", text: "Something.", scope: "repo_path" }
  expect(operationsOf({ ...op, path_prefix: "packages\\api\\" }).operations).toMatchObject([
    { scope: "repo_path", pathPrefix: "packages/api" },
  ])
  for (const unusable of ["../other", "/etc", "", null]) {
    const [operation] = operationsOf({ ...op, path_prefix: unusable }).operations
    expect(operation).toMatchObject({ scope: "repo_path" })
    expect(operation).not.toHaveProperty("pathPrefix")
  }
})

test("a user's key is global, and an invalid key is left out", () => {
  const [own] = operationsOf({
    op: "ADD",
    kind: "preference",
    text: "X y.",
    key: "User.Pref.Comment_Style",
    scope: "project",
  }).operations
  expect(own).toMatchObject({ key: "user.pref.comment_style", scope: "global" })
  const [none] = operationsOf({ op: "ADD", kind: "preference", text: "X y.", key: "my key'; --" }).operations
  expect(none).not.toHaveProperty("key")
})

test("an answer of another format is unusable, reported by position and never by content", () => {
  expect(readAnswer({ ops: [{ op: "ADD", kind: "gotcha", text: "hunter2" }] }, input)).toEqual({
    kind: "unusable",
    reason: "ops.0.kind should be one of preference, invariant, pattern, guard, note",
  })
  expect(readAnswer({ ops: "hunter2" }, input)).toEqual({ kind: "unusable", reason: "ops should be array" })
})

test("of a partly wrong answer, the readable parts are used", () => {
  const ops = [
    { op: "ADD", kind: "gotcha", text: "A b." },
    { op: "ADD", kind: "note", text: "Something." },
  ]
  const saved = salvageAnswer({ ops }, input)
  expect(saved).toMatchObject({ kind: "read", operations: [{ text: "Something." }] })
  expect(saved).toMatchObject({ dropped: [expect.stringContaining("operation 1: kind should be one of")] })
  expect(salvageAnswer({ ops: ["x"] }, input).kind).toBe("unusable")
})

const answer = { ops: [{ op: "IGNORE", text: 'a "quoted" {brace}' }] }
const json = JSON.stringify(answer)

test.each([
  ["alone", json],
  ["between prose", `Here it is:\n${JSON.stringify(answer, null, 2)}\nDone.`],
  ["in a fence", `Sure {thing}:\n\`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\`\nI hope {this} helps.`],
  [
    "in Claude Code's envelope",
    JSON.stringify({ type: "result", is_error: false, result: `\`\`\`json\n${json}\n\`\`\`` }),
  ],
  ["in Claude Code's list of messages", JSON.stringify([{ type: "system" }, { type: "result", result: json }])],
  ["as Claude Code's structured output", JSON.stringify({ type: "result", result: "", structured_output: answer })],
  ["in Gemini CLI's envelope", JSON.stringify({ response: json, stats: {} })],
  [
    "in Codex's lines",
    `{"type":"thread.started"}\n${JSON.stringify({ type: "item.completed", item: { type: "agent_message", text: json } })}\n{"type":"turn.completed"}`,
  ],
])("an answer is found %s", (_, printed) => {
  expect(findAnswer(printed)).toEqual(answer)
})

test("of several answers the last counts", () => {
  expect(findAnswer(`${JSON.stringify({ ops: [] })}\n${json}`)).toEqual(answer)
})

test.each(["", "I would rather not.", '{"operations":[]}', '{"ops": [', "[[[[[[", '{"ops":"none"}'])(
  "there is no answer in %j",
  (printed) => {
    expect(findAnswer(printed)).toBeUndefined()
  },
)
