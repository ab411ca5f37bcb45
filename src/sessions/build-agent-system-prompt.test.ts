import { expect, test } from "vitest"
import { buildAgentSystemPrompt } from "./build-agent-system-prompt.ts"
import { attempt, discovery, memoryOf } from "./test-entries.ts"

const agent = { systemPrompt: "You are the tester.\nBe brief." }
const memory = memoryOf(
  { discoveries: [discovery("discovery-001", "09:00", { content: "Tests need a port." })] },
  "tester",
)

test("what the session knows stands behind the agent's prompt", () => {
  expect(buildAgentSystemPrompt(agent, memory)).toBe(`You are the tester.
Be brief.

## Prior Context from This Session

## Key Discoveries
- [code_pattern] Tests need a port.

Use this context to avoid repeating discoveries or failed approaches.`)
  expect(buildAgentSystemPrompt({ systemPrompt: "" }, memory)).toMatch(/^## Prior Context from This Session\n/)
  expect(buildAgentSystemPrompt(agent, memory, { headingLevel: 3 })).toContain("\n### Key Discoveries\n")
})

test("without anything to tell the prompt stays as it is", () => {
  expect(buildAgentSystemPrompt(agent, undefined)).toBe(agent.systemPrompt)
  expect(buildAgentSystemPrompt(agent, memoryOf({}), { others: new Map() })).toBe(agent.systemPrompt)
})

test("an agent that noted nothing yet is told what failed for the others", () => {
  const developer = memoryOf({ attempts: [attempt("attempt-001", "09:00", { result: "failure", error: "Too slow." })] })
  expect(buildAgentSystemPrompt(agent, undefined, { others: new Map([["developer", developer]]) })).toContain(
    "- Try attempt-001 (developer): Too slow.",
  )
})
