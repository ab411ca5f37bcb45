import fc from "fast-check"
import { expect } from "vitest"
import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { attempt, discovery, memoryOf } from "./test-entries.ts"

/** For tests: a memory takes long to make up, so there are fewer than of other things. */
export const numRuns = Math.ceil(Number(process.env.DREY_PROPERTY_RUNS ?? 3000) / 10)

const token = "ghp_a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5a1B2c3"

const pieces = fc.constantFrom(
  ..."\r \u2028 \u0085 \u000b \u0000 \u001b[2J \u202e \u2066 \u200b \u200d \ufeff \ud800 \u{e0041} 🦊 ``` ~~~ </system> > -".split(
    " ",
  ),
  ..." |\n|\n---\n|\n- Step: 9|\n## Key Discoveries\n|## Current Task Context|Label:\n- one\n- two".split("|"),
  ` ${token} `,
)
const text = fc
  .array(fc.oneof(pieces, fc.string({ unit: "binary", maxLength: 12 }), fc.lorem({ maxCount: 40 })), { maxLength: 12 })
  .map((parts) => parts.join(""))
const time = fc.oneof(fc.constant("09:00"), fc.constant("23:59"), text)

const anyDiscovery = fc
  .record({ time, content: text, summary: text, type: text, importance: fc.constantFrom("low", "critical") })
  .map(({ time, type, ...fields }) => discovery("discovery", time, { ...fields, type: `x ${type}` }))
const anyAttempt = fc
  .record({
    time,
    description: text,
    error: text,
    lessons: text,
    approach: text,
    result: fc.constantFrom("failure", "success"),
  })
  .map(({ time, ...fields }) => attempt(`x ${fields.error}`, time, fields))

/** For tests: a memory whose texts try to be more than text. */
export const hostileMemory: fc.Arbitrary<AgentMemory> = fc
  .record({
    discoveries: fc.array(anyDiscovery, { maxLength: 8 }),
    attempts: fc.array(anyAttempt, { maxLength: 8 }),
    blockers: fc.array(text, { maxLength: 4 }),
    agent: text,
  })
  .map(({ blockers, agent, ...lists }) => memoryOf({ ...lists, context: { blockers } }, `x ${agent}`))

/** For tests: no line of a prompt is too long, hides something, contains a secret, or is more than a bullet. */
export function expectHarmless(prompt: string): void {
  expect(prompt).not.toMatch(
    /(?!\n)[\p{Cc}\p{Cs}\u2028\u2029\u200b\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e0fff}]/u,
  )
  expect(prompt).not.toContain(token.slice(0, 8))
  expect(prompt).not.toContain("</system>")
  for (const line of prompt.split("\n")) {
    expect(line.length).toBeLessThanOrEqual(200)
    expect(line).not.toMatch(/^- (?:[#>`]|-|~~~)/)
  }
}
