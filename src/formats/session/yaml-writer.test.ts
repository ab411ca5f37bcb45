import fc from "fast-check"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { yamlValue } from "./test-yaml-text.ts"
import { writeFlow, writePair } from "./yaml-writer.ts"

const numRuns = Math.ceil(Number(process.env.DREY_PROPERTY_RUNS ?? 10_000) / 10)

test("an entry is written like by hand", () => {
  const entry = {
    id: "attempt-001",
    planStep: 2,
    description: 'Add a "login" route',
    approach: "First the route,\nthen the test.\n",
    commands: ["npm test", "npm run build"],
    subTasks: [{ description: "Route", status: "complete" }],
    currentIssue: null,
    output: "  indented\nfirst",
    actionItems: [],
    artifact: {},
    left: undefined,
  }
  expect(writePair("attempts", [entry], 0).join("\n")).toBe(`attempts:
  - id: "attempt-001"
    planStep: 2
    description: "Add a \\"login\\" route"
    approach: |
      First the route,
      then the test.
    commands:
      - "npm test"
      - "npm run build"
    subTasks:
      - description: "Route"
        status: "complete"
    currentIssue: null
    output: |2-
        indented
      first
    actionItems: []
    artifact: {}`)
})

test.each([
  ["one line", '"one line"'],
  ["", '""'],
  ["a\nb", "|-\n    a\n    b"],
  ["a\nb\n", "|\n    a\n    b"],
  ["a\nb\n\n", "|+\n    a\n    b\n"],
  ["a\n\nb\n", "|\n    a\n\n    b"],
  ["\n", '"\\n"'],
  ["\nlate", '"\\nlate"'],
  ["end\n  ", '"end\\n  "'],
  ["windows\r\nlines\r\n", '"windows\\r\\nlines\\r\\n"'],
  ["\u001b[31mred\nplain", '"\\u001b[31mred\\nplain"'],
  ["half \ud83d", '"half \\ud83d"'],
  ["next\u0085line\u2028", '"next\\u0085line\\u2028"'],
])("%j", (text, written) => {
  expect(writePair("key", text, 2).join("\n")).toBe(`  key: ${written}`)
})

test("any value is read back by any version of YAML", () => {
  fc.assert(
    fc.property(yamlValue, (value) => {
      const block = `${writePair("key", value, 0).join("\n")}\n`
      const flow = `key: ${writeFlow(value)}\n`
      for (const version of ["1.2", "1.1"] as const) {
        expect(parse(block, { version, maxAliasCount: 0 })).toEqual({ key: value })
        expect(parse(flow, { version, maxAliasCount: 0 })).toEqual({ key: value })
      }
    }),
    { numRuns },
  )
})

test("values without a YAML form are refused", () => {
  expect(() => writePair("key", () => 1, 0)).toThrow("function")
})
