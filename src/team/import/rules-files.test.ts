import { expect, test } from "vitest"
import { readCline, readRules } from "./rules-files.ts"

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

test("bullets and imperative sentences become directives that the user has to confirm", () => {
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

test("a repeated rule is imported once, and text without rules gives none", () => {
  expect(readRules([{ path: "AGENTS.md", text: "- Use tabs always\n- Use tabs always\n" }])).toHaveLength(1)
  expect(readRules([{ path: "AGENTS.md", text: "# About\n\nThis is a library. It parses dates.\n" }])).toEqual([])
})

test("every section of a memory bank is an entry: patterns are memories, project descriptions notes", () => {
  const entries = readCline([
    { path: "memory-bank/projectbrief.md", text: "# Brief\n\nA shop.\n\n## Goals\n\nSell.\n" },
    {
      path: "memory-bank/systemPatterns.md",
      text: "## Layers\n\nFaces call the core.\n\n```md\n## not a section\n```\n",
    },
    { path: "memory-bank/other.md", text: "## Ignored\n\nText.\n" },
  ])
  expect(entries.map(({ type, title }) => [type, title])).toEqual([
    ["note", "projectbrief: Brief"],
    ["note", "projectbrief: Goals"],
    ["memory", "systemPatterns: Layers"],
  ])
  expect(entries[2]?.details).toContain("## not a section")
})
