import { expect, test } from "vitest"
import { longestText } from "../client.ts"
import { collectEvents, cutMiddle } from "./event-collector.ts"

test("a text that fits is unchanged", () => {
  const text = "x".repeat(longestText)
  expect(cutMiddle(text)).toBe(text)
})

test("a long text keeps its beginning and end", () => {
  const cut = cutMiddle(`$ npm test\n${"log line\n".repeat(5000)}1 failed`)
  expect(cut.length).toBeLessThanOrEqual(longestText)
  expect(cut.startsWith("$ npm test\nlog line\n")).toBe(true)
  expect(cut).toContain("\n[…]\n")
  expect(cut.endsWith("log line\n1 failed")).toBe(true)
})

test("no character is split, wherever the cuts are", () => {
  for (let shift = 0; shift < 4; shift++) {
    const cut = cutMiddle("a".repeat(shift) + "🦊".repeat(longestText))
    expect(cut).not.toMatch(/\p{Surrogate}/u)
    expect(cut.length).toBeLessThanOrEqual(longestText)
  }
})

const where = { id: "r-1", ts: "2026-03-01T10:00:00Z" }
const question = "Which branch do pull requests go to?"

test.each([
  [
    "AskUserQuestion",
    { questions: [{ question }] },
    `User has answered your questions: "${question}"="Always develop, never main". You can now continue with the user's answers in mind.`,
  ],
  [
    "request_user_input",
    { questions: [{ id: "branch", question }] },
    JSON.stringify({ answers: { branch: { answers: ["Always develop, never main"] } } }),
  ],
  ["ask_user", { question, choices: ["main"] }, "User responded: Always develop, never main"],
])("the user's answer to %s is theirs, together with the question", (tool, input, text) => {
  const collector = collectEvents("claude-code", "s-1")
  collector.call({ ...where, call: "c-1", tool, input })
  collector.answer({ ...where, id: "r-2", call: "c-1", text })
  const [, , said] = collector.take()
  expect(said).toMatchObject({
    id: "claude-code:r-2:answer",
    role: "user",
    kind: "message",
    text: `${question}\nAlways develop, never main`,
  })
})

test.each([
  ["a server's tool", { server: "pages" }, {}],
  ["a failed call", {}, { isError: true }],
  ["a question without an answer", {}, { text: "No answer yet" }],
])("%s says nothing in the user's name", (_, call, answer) => {
  const collector = collectEvents("codex", "s-1")
  collector.call({ ...where, call: "c-1", tool: "ask_user", input: { question }, ...call })
  collector.answer({ ...where, call: "c-1", text: "User responded: Always main", ...answer })
  expect(collector.take().filter(({ role }) => role === "user")).toEqual([])
})
