import fc from "fast-check"
import { expect, test } from "vitest"
import { parseDocument } from "yaml"
import { brokenYaml, yamlText } from "./test-yaml-text.ts"
import { readYaml } from "./yaml-reader.ts"
import type { YamlDocument } from "./yaml-tree.ts"

const numRuns = Math.ceil(Number(process.env.DREY_PROPERTY_RUNS ?? 10_000) / 20)

const memory = `# the head of the file
version: "1"
agent: developer

discoveries:
  # about the layout
  - id: "discovery-001"
    content: |
      Two packages.
      # not a comment

  - id: "discovery-002"
    content: "One \\u00e9."   # short
attempts: []
context:
  blockers: [no disk, 'no time']
  runtime: no
`

test("a file is read by YAML 1.2's core schema", () => {
  expect(documentOf(memory).value).toEqual({
    version: "1",
    agent: "developer",
    discoveries: [
      { id: "discovery-001", content: "Two packages.\n# not a comment\n" },
      { id: "discovery-002", content: "One é." },
    ],
    attempts: [],
    context: { blockers: ["no disk", "no time"], runtime: "no" },
  })
})

test("values special to YAML 1.1 stay strings, also with a directive", () => {
  const text = "%YAML 1.1\n---\na: yes\nb: 1:30\n<<: {c: 1}\nd: 0o17\n"
  expect(documentOf(text).value).toEqual({ a: "yes", b: "1:30", "<<": { c: 1 }, d: 15 })
})

test("an unchanged part is the same object in the next reading", () => {
  const before = documentOf(memory).value
  const after = documentOf(memory.replace("attempts: []", "attempts:\n  - id: a").replace("One", "Another")).value
  expect(listIn(after, "discoveries")[0]).toBe(listIn(before, "discoveries")[0])
  expect(listIn(after, "discoveries")[1]).toEqual({ id: "discovery-002", content: "Another é." })
  expect(after.context).toBe(before.context)
})

test("values are frozen, because readings share them", () => {
  const { value } = documentOf(memory)
  expect(() => listIn(value, "discoveries").push(1)).toThrow(TypeError)
  expect(Object.isFrozen(value)).toBe(true)
  expect(Object.isFrozen(value.context)).toBe(true)
})

test("a key called __proto__ is a key like any other", () => {
  const { value } = documentOf("__proto__: 1\na: {__proto__: 2}\n")
  expect(Object.entries(value)).toEqual([
    ["__proto__", 1],
    ["a", Object.fromEntries([["__proto__", 2]])],
  ])
})

test("aliases are expanded", () => {
  expect(documentOf("a: &files [x, y]\nb: *files\n").value).toEqual({ a: ["x", "y"], b: ["x", "y"] })
})

// Positions

test.each([
  [["version"], 2, 10],
  [["discoveries"], 7, 3],
  [["discoveries", 0], 7, 5],
  [["discoveries", 1, "content"], 13, 14],
  [["discoveries", 1, "missing", "deeper"], 12, 5],
  [["context", "blockers", 1], 16, 23],
  [["missing"], 2, 1],
])("%j is at %i:%i", (path, line, column) => {
  expect(documentOf(memory).positionOf(path)).toEqual({ line, column })
})

test("positions are the same in a file that is parsed as a whole", () => {
  const whole = documentOf(`---\n${memory}`)
  expect(whole.positionOf(["discoveries", 1, "content"])).toEqual({ line: 14, column: 14 })
})

test("a value that is not written out has the position of its key", () => {
  expect(documentOf("a: 1\nb:\n").positionOf(["b"])).toEqual({ line: 2, column: 1 })
})

test("a byte order mark does not count as a column", () => {
  expect(documentOf("\uFEFFa: 1\n").positionOf(["a"])).toEqual({ line: 1, column: 4 })
  expect(documentOf("\uFEFF? a\n: 1\n").positionOf(["a"])).toEqual({ line: 2, column: 3 })
})

// What cannot be read

test.each([
  ["an empty file", "", "syntax", 1, 1, "empty"],
  ["nothing but comments", "# one\n\n# two\n", "syntax", 1, 1, "empty"],
  ["a list at the top", "\n- a\n- b\n", "wrong-type", 2, 1, "must be a map"],
  ["a text at the top", "hello\n", "wrong-type", 1, 1, "must be a map"],
  ["two documents", "a: 1\n---\nb: 2\n", "syntax", 2, 1, "second document"],
  ["NUL characters", "a: 1\nb: x\0y\n", "syntax", 2, 5, "not UTF-8 text"],
  ["a quote that is not closed", 'a: 1\nlist:\n  - x: "open\n  - y: 1\n', "syntax", 3, 8, "Missing closing quote"],
  ["a colon in plain text", "a: 1\nb: see: this\n", "syntax", 2, 4, "quotes"],
  ["a tab for indentation", "a:\n\tb: 1\n", "syntax", 2, 1, "ab"],
  ["a key twice", "a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n", "duplicate-key", 5, 3, '"c"'],
  ["a top-level key twice", "a: 1\nb: 2\na: 3\n", "duplicate-key", 3, 1, '"a"'],
  ["a key once as number, once as text", 'a: {1: x, "1": y}\n', "duplicate-key", 1, 11, '"1"'],
  ["a list as key", "? [a]\n: 1\n", "wrong-type", 1, 1, "key"],
  ["a tag of its own", "a: 1\nb: !secret x\n", "custom-tag", 2, 4, "!secret"],
  ["a tag outside the core schema", "a: !!binary aGk=\n", "custom-tag", 1, 4, "binary"],
  ["an alias of nothing", "a: *b\n", "syntax", 1, 4, "&b"],
  ["an alias inside what it names", "a: &a\n  b: *a\n", "too-many-aliases", 2, 6, "*a"],
])("%s: %j", (_, text, code, line, column, words) => {
  const [problem] = problemsOf(text)
  expect(problem).toMatchObject({ severity: "error", code, path: "", line, column })
  expect(problem?.message).toContain(words)
})

test("an alias bomb is refused before it is expanded", () => {
  const levels = Array.from({ length: 30 }, (_, level) => {
    return `l${level + 1}: &l${level + 1} [${new Array(10).fill(`*l${level}`).join(", ")}]`
  })
  const problems = problemsOf(`l0: &l0 [lol, lol]\n${levels.join("\n")}\n`)
  expect(problems.map(({ code }) => code)).toEqual(["too-many-aliases"])
})

test("any depth of nesting gives a problem, not a crash", () => {
  for (const opening of ["[", "{a: ", "- ", "? ", "a: "]) {
    expect(problemsOf(`x: 1\ny:\n  ${opening.repeat(50_000)}`).length, opening).toBeGreaterThan(0)
  }
})

test("a file with thousands of mistakes gives twenty problems", () => {
  expect(problemsOf("a: 1\n".repeat(1000))).toHaveLength(20)
})

// Any text

test("a file with thousands of mistakes is read in time linear in its size", () => {
  const unit = '"index", 0.5]\nhistory:\n  - 7\n '
  const cost = (times: number) => {
    const began = process.cpuUsage()
    readYaml(`? "a b"\n: [${unit.repeat(times)}`)
    return process.cpuUsage(began).user
  }
  cost(500) // what is compiled once
  expect(cost(4000)).toBeLessThan(30 * Math.max(cost(500), 10_000))
})

test("split into chunks, a text has the same value as a whole", () => {
  fc.assert(
    fc.property(yamlText, (text) => {
      expect(documentOf(text).value).toEqual(parseDocument(text).toJS())
    }),
    { numRuns },
  )
})

test("any text is read like by a whole parse or reported as broken, with a position", () => {
  fc.assert(
    fc.property(fc.oneof(brokenYaml, fc.string({ unit: "binary" })), (text) => {
      const reading = readYaml(text)
      if (reading.kind === "read") {
        const whole = parseDocument(text, { schema: "core" })
        expect(whole.errors).toEqual([])
        expect(reading.document.value).toEqual(whole.toJS({ maxAliasCount: -1 }))
      } else {
        expect(reading.problems.length).toBeGreaterThan(0)
        for (const { line, column } of reading.problems) expect(Math.min(line, column)).toBeGreaterThan(0)
      }
    }),
    { numRuns },
  )
})

function documentOf(text: string): YamlDocument {
  const reading = readYaml(text)
  if (reading.kind === "broken") throw new Error(JSON.stringify(reading.problems))
  return reading.document
}

function problemsOf(text: string) {
  const reading = readYaml(text)
  return reading.kind === "broken" ? reading.problems : []
}

function listIn(value: Record<string, unknown>, key: string): unknown[] {
  return value[key] as unknown[]
}
