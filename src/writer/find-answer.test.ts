import { expect, test } from "vitest"
import { findAnswer } from "./find-answer.ts"

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

test("of several answers the last is meant", () => {
  expect(findAnswer(`${JSON.stringify({ ops: [] })}\n${json}`)).toEqual(answer)
})

test.each(["", "I would rather not.", '{"operations":[]}', '{"ops": [', "[[[[[[", '{"ops":"none"}'])(
  "there is no answer in %j",
  (printed) => {
    expect(findAnswer(printed)).toBeUndefined()
  },
)
