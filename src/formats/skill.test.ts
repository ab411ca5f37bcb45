import fc from "fast-check"
import { expect, test } from "vitest"
import { readSkill, type Skill, writeSkill } from "./skill.ts"

test("front matter gives the fields, the rest is the body", () => {
  const text = `---
name: release
description: "How to cut a release: tag, notes, publish"
domain: workflow, npm
confidence: HIGH
source: "earned (issue #267)"
tools:
  - gh
  - name: npm
    when: publishing
triggers: [release, publish]
roles: lead, scribe
version: 1.0
license: MIT
user-invocable: false
---

## Steps

1. Tag.
`
  expect(readSkill(text, "release")).toEqual({
    name: "release",
    description: "How to cut a release: tag, notes, publish",
    domain: "workflow, npm",
    confidence: "high",
    source: "earned (issue #267)",
    tools: [{ name: "gh" }, { name: "npm", when: "publishing" }],
    triggers: ["release", "publish"],
    roles: ["lead", "scribe"],
    version: "1.0",
    extra: { license: "MIT", "user-invocable": false },
    body: "## Steps\n\n1. Tag.",
    diagnostics: [],
  })
})

test("Squad's own form is read: name, confidence and date above the text", () => {
  const skill = readSkill("# release\n\n**Confidence:** low\n**Updated:** 2026-02-15\n\nTag first.\n", "release")
  expect(skill).toMatchObject({
    name: "release",
    confidence: "low",
    extra: { updated: "2026-02-15" },
    body: "Tag first.",
  })
  expect(skill.description).toBe("Tag first.")
  expect(codes(skill)).toEqual(["no-front-matter"])
})

test("a file without any header is all body, and its first prose describes it", () => {
  const skill = readSkill("# Skill: Service design\n\n> Reusable pattern.\n\n## When\n", "service-design")
  expect(skill.body).toBe("# Skill: Service design\n\n> Reusable pattern.\n\n## When")
  expect(skill).toMatchObject({ name: "service-design", description: "Reusable pattern." })
})

test("a byte order mark and Windows line ends change nothing", () => {
  const text = "---\nname: a\ndescription: b\n---\n\nOne.\n\nTwo.\n"
  expect(readSkill(`\ufeff${text.replaceAll("\n", "\r\n")}`, "a")).toEqual(readSkill(text, "a"))
})

test("the folder's name wins over the file's, with a diagnostic on its line", () => {
  const skill = readSkill("---\ndescription: b\nname: Release\n---\nText\n", "release")
  expect(skill.name).toBe("release")
  expect(skill.diagnostics).toMatchObject([{ code: "name-mismatch", severity: "warning", line: 3 }])
})

test("a missing body, a missing description and a bad confidence are reported with their lines", () => {
  const skill = readSkill("---\nname: a\nconfidence: sure\ntools: { a: b }\n---\n\n", "a")
  expect(skill.diagnostics.map(({ code, severity, line }) => [line, severity, code])).toEqual([
    [1, "warning", "missing-description"],
    [6, "error", "missing-body"],
    [3, "warning", "invalid-field"],
    [4, "warning", "invalid-field"],
  ])
  expect(skill).not.toHaveProperty("confidence")
})

test("broken YAML is reported on its line and its one-line fields are still read", () => {
  const skill = readSkill("---\nname: a\ndescription: Use when: always\nversion: '2'\n---\nText\n", "a")
  expect(skill).toMatchObject({ description: "Use when: always", version: "2", body: "Text" })
  expect(skill.diagnostics).toMatchObject([{ code: "invalid-front-matter", severity: "error", line: 3 }])
})

test("a field of broken YAML with only white space is empty, as in valid YAML", () => {
  const skill = readSkill("---\nname: a\ndescription: ' '\nbroken\n---\nText\n", "a")
  expect(skill.description).toBe("Text")
})

test("front matter that is never closed is body", () => {
  const skill = readSkill("---\nname: a\n\nText\n", "a")
  expect(skill.body).toBe("---\nname: a\n\nText")
  expect(codes(skill)).toEqual(["unclosed-front-matter"])
})

test("front matter that is not a map, or empty, still leaves the body", () => {
  expect(codes(readSkill("---\n- a\n---\nText\n", "a"))).toContain("invalid-front-matter")
  expect(readSkill("---\n---\nText\n", "a")).toMatchObject({ description: "Text", body: "Text" })
})

test("an alias bomb is reported, not expanded", () => {
  const rows = Array.from({ length: 12 }, (_, row) => `a${row}: &a${row} [${`*a${row - 1}, `.repeat(9)}]`)
  const bomb = [
    "---",
    "name: a",
    "description: b",
    "a: &a [x]",
    ...rows.slice(1).map((row) => row.replaceAll("*a0", "*a")),
  ]
  const skill = readSkill([...bomb, "---", "Text"].join("\n"), "a")
  expect(codes(skill)).toEqual(["invalid-front-matter"])
  expect(skill).toMatchObject({ description: "b", body: "Text" })
})

test("extremely nested front matter is reported, not thrown", () => {
  const skill = readSkill(`---\nname: a\ndescription: b\ndeep: ${"[".repeat(50_000)}\n---\nText`, "a")
  expect(skill).toMatchObject({ description: "b", body: "Text" })
  expect(codes(skill)).toContain("invalid-front-matter")
})

test("no content makes the reader throw", () => {
  const unit = fc.constantFrom(
    "---\n",
    "name: a\n",
    "# a\n",
    "**Confidence:** low\n",
    "&a ",
    "*a ",
    "[",
    "{",
    "}",
    ": ",
    "!x ",
    "\r\n",
    "|\n",
    "\ufeff",
    "é",
    "? ",
    "<<: ",
  )
  fc.assert(
    fc.property(fc.string({ unit }), (inner) => {
      expect(readSkill(inner, "a").name).toBe("a")
      expect(readSkill(`---\n${inner}\n---\n`, "a").name).toBe("a")
    }),
    { numRuns: 1000 },
  )
})

test("a written skill reads back as the same skill, and writes the same again", () => {
  fc.assert(
    fc.property(anySkill, (skill) => {
      const written = writeSkill(skill)
      const read = readSkill(written, skill.name)
      expect(read).toEqual(skill)
      expect(writeSkill(read)).toBe(written)
    }),
    { numRuns: 500 },
  )
})

const text = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 1 }),
    fc.constantFrom("1.0", "true", "null", "a: b", "- x", "---", "# x", "a\n---\nb", "'", "*a"),
  )
  .map((value) => value.trim())
  .filter((value) => value !== "")
const names = fc.array(text, { maxLength: 3 })
const anySkill = fc
  .record(
    {
      name: text,
      description: text,
      domain: text,
      confidence: fc.constantFrom("low", "medium", "high"),
      source: text,
      tools: fc.array(fc.record({ name: text, description: text, when: text }, { requiredKeys: ["name"] }), {
        maxLength: 2,
      }),
      triggers: names,
      roles: names,
      version: text,
      extra: fc.dictionary(
        fc.constantFrom("license", "user-invocable", "metadata", "__proto__"),
        fc.jsonValue().map(withoutNegativeZero),
        { noNullPrototype: true },
      ),
      body: text,
    },
    { requiredKeys: ["name", "description", "tools", "triggers", "roles", "extra", "body"], noNullPrototype: true },
  )
  .map((skill) => ({ ...skill, diagnostics: [] }) as Skill)

function withoutNegativeZero(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function codes(skill: Skill): string[] {
  return skill.diagnostics.map(({ code }) => code)
}
