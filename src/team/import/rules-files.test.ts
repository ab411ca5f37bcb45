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

const mixed = `# Project

Acme is a shop. It supports three currencies.

> **IMPORTANT**: Never edit \`dist/\` by hand.

## Commands

- \`npm test\`: runs the tests
- Run \`npm start\` to start the server
1. Clone the repository
2. Install the dependencies

## Architecture

- **Store**: keeps prices in cents
- The parser never throws
- Queries must go through the repository layer
- **Total**: 149 tests

## Conventions

- **Naming**: Use camelCase for functions
- **Indentation**: tabs, not spaces
- You can also use the wizard
- See docs/style.md

### Don't

- Commit secrets
- Never use \`any\`

## Git

Before pushing:

1. Run \`npm test\`
2. Update the changelog

When you add an endpoint:
- document it in \`docs/api.md\`

## 规范

- 必须使用 pnpm
- 本项目使用 React
`

test("descriptions, commands, steps and pointers are left out; conditions and prohibitions stay with their rules", () => {
  const rules = readRules([{ path: "packages/web/AGENTS.md", text: mixed }])
  expect(rules.map(({ title }) => title)).toEqual([
    "IMPORTANT: Never edit dist/ by hand.",
    "Queries must go through the repository layer",
    "Naming: Use camelCase for functions",
    "Indentation: tabs, not spaces",
    "Avoid: Commit secrets",
    "Never use any",
    "Before pushing: Run npm test; Update the changelog",
    "When you add an endpoint: document it in docs/api.md",
    "必须使用 pnpm",
  ])
  expect(rules[0]?.extensions).toEqual([
    { name: "section", value: "Project" },
    { name: "path", value: "packages/web" },
  ])
})

test("globs of a Cursor rule limit it to a folder, even where they are no valid YAML", () => {
  const rule = (globs: string) =>
    readRules([{ path: ".cursor/rules/a.mdc", text: `---\n${globs}\nalwaysApply: false\n---\n- Always use tabs\n` }])[0]
  const pathOf = (globs: string) => rule(globs)?.extensions.find(({ name }) => name === "path")?.value
  expect(pathOf("globs: src/api/**/*.ts,src/api/*.md")).toBe("src/api")
  expect(pathOf("globs: **/*.ts")).toBeUndefined()
  expect(pathOf("paths:\n  - 'lib/**'")).toBe("lib")
  expect(pathOf("applyTo: 'a/**,b/**'")).toBeUndefined()
  expect(rule("globs:")?.line).toBe(5)
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

test("asterisks and underscores in code are part of the rule", () => {
  const text = '# Rules\n\n- Always run **`lint "**/*.md" __all__`** before you commit.\n'
  expect(readRules([{ path: "AGENTS.md", text }]).map(({ title }) => title)).toEqual([
    'Always run lint "**/*.md" __all__ before you commit.',
  ])
})
