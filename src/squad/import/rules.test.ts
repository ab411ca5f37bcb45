import { expect, test } from "vitest"
import { readRules } from "./rules.ts"

const claude = `# CLAUDE.md

This file guides Claude. Always run the tests before you commit. The build takes a minute.

## Style

- Use tabs for indentation
- Never throw strings; throw an \`Error\` subclass with a message that says what
  the caller can do
  - nested remark
- \`src/index.ts\`

\`\`\`sh
- not a rule
\`\`\`

## Commands

| command | does |
|---|---|
| npm test | tests |

1. Prefer composition over inheritance.
`

test("bullets and imperative sentences become directives that a person has to confirm", () => {
  const rules = readRules([{ path: "CLAUDE.md", text: claude }])
  expect(rules.map(({ title }) => title)).toEqual([
    "Always run the tests before you commit.",
    "Use tabs for indentation",
    "Never throw strings; throw an Error subclass with a message that says what the caller can do",
    "Prefer composition over inheritance.",
  ])
  expect(new Set(rules.map(({ type }) => type))).toEqual(new Set(["directive"]))
  expect(rules.every(({ review }) => review !== undefined)).toBe(true)
  expect(rules[2]?.details).toContain("nested remark")
  expect(rules[1]).toMatchObject({ line: 7, extensions: [{ name: "section", value: "Style" }] })
})

test("the same rule twice is one, and text without rules gives none", () => {
  expect(readRules([{ path: "AGENTS.md", text: "- Use tabs always\n- Use tabs always\n" }])).toHaveLength(1)
  expect(readRules([{ path: "AGENTS.md", text: "# About\n\nThis is a library. It parses dates.\n" }])).toEqual([])
})
