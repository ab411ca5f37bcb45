import fc from "fast-check"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { isRecord } from "../objects.ts"
import { yamlText, yamlValue } from "./test-yaml-text.ts"
import { editYaml, sourceOf } from "./yaml-editor.ts"
import { valueAt } from "./yaml-nodes.ts"
import { readYaml } from "./yaml-reader.ts"
import type { YamlDocument, YamlEdit, YamlPath } from "./yaml-tree.ts"

const numRuns = Math.ceil(Number(process.env.DREY_PROPERTY_RUNS ?? 10_000) / 40)

const memory = `# the developer's notes
version: "1"
agent: developer   # who
updatedAt: '2026-03-01T10:00:00.000Z'

discoveries:
  - id: discovery-001
    importance: "high"  # low | medium | high
    content: |
      Two packages.
      # not a comment
    relatedFiles: [src/a.ts, 'src/b.ts']  # two

  # the second one
  - id: discovery-002
    content: "One."
    # not finished
  # - id: dropped

# what was tried
attempts:
- id: attempt-001
  result: in_progress

  steps:
      - one
- id: attempt-002
  result: failure
decisions: []  # none so far
context:
  blockers:
  taskContext:
    runtime: "Node"
# the end
`

test("no edits leave the text unchanged", () => {
  expect(editYaml(documentOf(memory), [])).toBe(memory)
})

test("a value set to its current value keeps its spelling", () => {
  const edits: YamlEdit[] = [
    { op: "set", path: ["updatedAt"], value: "2026-03-01T10:00:00.000Z" },
    { op: "set", path: ["discoveries", 0, "relatedFiles"], value: ["src/a.ts", "src/b.ts"] },
    { op: "set", path: ["gone"], value: undefined },
  ]
  expect(editYaml(documentOf(memory), edits)).toBe(memory)
})

test.each<[string, YamlEdit, string, string]>([
  [
    "a set value keeps the comment behind it",
    { op: "set", path: ["agent"], value: "tester" },
    "agent: developer   # who",
    'agent: "tester"   # who',
  ],
  [
    "a text of several lines becomes a block scalar, the comment stays on its first line",
    { op: "set", path: ["discoveries", 0, "importance"], value: "high\nvery\n" },
    'importance: "high"  # low | medium | high',
    "importance: |  # low | medium | high\n      high\n      very",
  ],
  [
    "a block scalar makes way for one line",
    { op: "set", path: ["discoveries", 0, "content"], value: "One." },
    "content: |\n      Two packages.\n      # not a comment",
    'content: "One."',
  ],
  [
    "a new key goes to the end of its map",
    { op: "set", path: ["attempts", 1, "lessons"], value: "Read first." },
    "  result: failure\n",
    '  result: failure\n  lessons: "Read first."\n',
  ],
  [
    "a new key comes before the comment that ends its list",
    { op: "set", path: ["discoveries", 1, "summary"], value: "a\nb\n" },
    '    content: "One."\n',
    '    content: "One."\n    summary: |\n      a\n      b\n',
  ],
  [
    "maps on the way are made",
    { op: "set", path: ["context", "codebase", "patterns"], value: ["x"] },
    '    runtime: "Node"\n',
    '    runtime: "Node"\n  codebase:\n    patterns:\n      - "x"\n',
  ],
  [
    "an item is added in the column of the others, before the comments that follow the list",
    { op: "append", path: ["discoveries"], value: { id: "discovery-003", content: "x" } },
    "    # not finished\n",
    '    # not finished\n\n  - id: "discovery-003"\n    content: "x"\n',
  ],
  [
    "items without blank lines between them get none",
    { op: "append", path: ["attempts"], value: { id: "attempt-003", steps: [] } },
    "- id: attempt-002\n  result: failure\n",
    '- id: attempt-002\n  result: failure\n- id: "attempt-003"\n  steps: []\n',
  ],
  [
    "an empty list is opened, its comment stays",
    { op: "append", path: ["decisions"], value: { id: "decision-001" } },
    "decisions: []  # none so far",
    'decisions:  # none so far\n  - id: "decision-001"',
  ],
  [
    "a null becomes a list",
    { op: "append", path: ["context", "blockers"], value: "no disk" },
    "  blockers:\n",
    '  blockers:\n    - "no disk"\n',
  ],
  [
    "a list inside an item is added to in its own column",
    { op: "append", path: ["attempts", 0, "steps"], value: "two" },
    "      - one\n",
    '      - one\n      - "two"\n',
  ],
  [
    "a short list in flow style stays one",
    { op: "append", path: ["discoveries", 0, "relatedFiles"], value: "c" },
    "[src/a.ts, 'src/b.ts']  # two",
    '["src/a.ts", "src/b.ts", "c"]  # two',
  ],
  [
    "a long list in flow style is opened",
    { op: "append", path: ["discoveries", 0, "relatedFiles"], value: "c".repeat(90) },
    "relatedFiles: [src/a.ts, 'src/b.ts']  # two",
    `relatedFiles:  # two\n      - "src/a.ts"\n      - "src/b.ts"\n      - "${"c".repeat(90)}"`,
  ],
  [
    "a key is removed with its value, the comments around it stay",
    { op: "set", path: ["attempts", 0, "steps"], value: undefined },
    "  steps:\n      - one\n",
    "",
  ],
  [
    "an item is taken out with the comments before it",
    { op: "remove", path: ["discoveries", 1] },
    '  # the second one\n  - id: discovery-002\n    content: "One."\n    # not finished\n',
    "",
  ],
  [
    "the only item leaves an empty list",
    { op: "remove", path: ["attempts", 0, "steps", 0] },
    "steps:\n      - one",
    "steps: []",
  ],
  [
    "where a map is set, the keys that differ are changed",
    { op: "set", path: ["attempts", 1], value: { id: "attempt-002", result: "partial", iterations: 2 } },
    "- id: attempt-002\n  result: failure\n",
    '- id: attempt-002\n  result: "partial"\n  iterations: 2\n',
  ],
])("%s", (_, edit, old, now) => {
  expect(memory).toContain(old)
  for (const form of [lineFeeds, carriageReturns, noFinalLineEnd, asWhole]) {
    const edited = editYaml(documentOf(form(memory)), [edit])
    expect(edited).toBe(form(memory).replace(form(old), form(now)))
  }
})

test("a new section goes to the end of the file", () => {
  const edit: YamlEdit = { op: "append", path: ["history"], value: { summary: "x" } }
  const edited = `${memory}\nhistory:\n  - summary: "x"\n`
  expect(editYaml(documentOf(memory), [edit])).toBe(edited)
  expect(editYaml(documentOf(memory.trimEnd()), [edit])).toBe(edited)
  expect(editYaml(documentOf("a: 1"), [{ op: "set", path: ["b"], value: 2 }])).toBe("a: 1\nb: 2\n")
})

test("edits are made one after another", () => {
  const edits: YamlEdit[] = [
    { op: "append", path: ["attempts"], value: { id: "attempt-003" } },
    { op: "set", path: ["attempts", 2, "result"], value: "success" },
    { op: "remove", path: ["attempts", 0] },
    { op: "set", path: ["attempts", 1, "result"], value: "partial" },
    { op: "remove", path: ["attempts", 0] },
    { op: "remove", path: ["attempts", 0] },
    { op: "append", path: ["attempts"], value: { id: "attempt-004" } },
  ]
  expect(documentOf(editYaml(documentOf(memory), edits)).value.attempts).toEqual([{ id: "attempt-004" }])
})

test("a comment above the next section stays there when a list before it grows or shrinks", () => {
  const grown = editYaml(documentOf(memory), [{ op: "append", path: ["discoveries"], value: "x" }])
  expect(grown).toContain('\n  - "x"\n  # - id: dropped\n\n# what was tried\nattempts:\n')
  const shrunk = editYaml(documentOf(memory), [
    { op: "remove", path: ["discoveries", 0] },
    { op: "remove", path: ["discoveries", 0] },
  ])
  expect(shrunk).toContain("\ndiscoveries: []\n  # - id: dropped\n\n# what was tried\nattempts:\n")
})

test("text that was written as JSON becomes YAML if it gets too long", () => {
  const document = documentOf('{ "version": "1", "list": [1, 2] }')
  expect(editYaml(document, [{ op: "append", path: ["list"], value: 3 }])).toBe('{ "version": "1", "list": [1, 2, 3] }')
  const long = "x".repeat(100)
  expect(editYaml(document, [{ op: "set", path: ["text"], value: long }])).toBe(
    `version: "1"\nlist:\n  - 1\n  - 2\ntext: "${long}"\n`,
  )
})

test("a change through an alias does not change its target", () => {
  const document = documentOf("a: &files\n  - x\nb: *files\nc: *files\n")
  const edited = editYaml(document, [{ op: "append", path: ["b"], value: "y" }])
  expect(edited).toBe('a: &files\n  - x\nb:\n  - "x"\n  - "y"\nc: *files\n')
})

test("aliases are expanded when their target is removed", () => {
  const document = documentOf("a: &files\n  - x\nb: *files # copy\n")
  expect(editYaml(document, [{ op: "set", path: ["a"], value: 1 }])).toBe('a: 1\nb: ["x"] # copy\n')
})

test("blank lines that a block scalar keeps are not moved", () => {
  const document = documentOf("list:\n  - |+\n    kept\n\n  - last\n\n# after\nb: 1\n")
  const removed = editYaml(document, [{ op: "remove", path: ["list", 1] }])
  expect(documentOf(removed).value).toEqual({ list: ["kept\n\n"], b: 1 })
  const text = editYaml(document, [{ op: "set", path: ["list", 1], value: "a\n\n\n" }])
  expect(documentOf(text).value).toEqual({ list: ["kept\n\n", "a\n\n\n"], b: 1 })
})

test("a block scalar does not swallow a comment that is indented below it", () => {
  const edited = editYaml(documentOf("a: 1\n    # deep\nb: 2\n"), [{ op: "set", path: ["a"], value: "x\ny\n" }])
  expect(edited).toBe('a: "x\\ny\\n"\n    # deep\nb: 2\n')
})

// Items in their own words

test("an item is moved to another file verbatim", () => {
  const from = documentOf(memory)
  const archive = documentOf("version: '1'\ndiscoveries:\n# older ones\n    - id: discovery-000\nattempts: []\n")
  const edited = editYaml(archive, [
    { op: "appendSource", path: ["discoveries"], source: sourceOf(from, ["discoveries", 1]) },
    { op: "appendSource", path: ["attempts"], source: sourceOf(from, ["attempts", 0]) },
    { op: "appendSource", path: ["attempts"], source: sourceOf(from, ["attempts", 1]) },
    { op: "appendSource", path: ["moved", "files"], source: sourceOf(from, ["discoveries", 0, "relatedFiles", 1]) },
  ])
  expect(edited).toBe(`version: '1'
discoveries:
# older ones
    - id: discovery-000

    # the second one
    - id: discovery-002
      content: "One."
      # not finished
attempts:
  - id: attempt-001
    result: in_progress

    steps:
        - one

  - id: attempt-002
    result: failure

moved:
  files:
    - "src/b.ts"
`)
})

test("the source of an item with an alias is self-contained", () => {
  const document = documentOf("a: &files [x]\nlist:\n  - files: *files\n")
  expect(sourceOf(document, ["list", 0])).toBe('- files:\n    - "x"\n')
})

test("a source that is not a list of one item is refused", () => {
  for (const source of ["a: 1\n", "- a\n- b\n", "- [", ""]) {
    expect(() => editYaml(documentOf(memory), [{ op: "appendSource", path: ["attempts"], source }])).toThrow("one item")
  }
})

// Invalid requests

test.each<[string, YamlEdit]>([
  ["an item that is not there", { op: "set", path: ["attempts", 7], value: 1 }],
  ["a list that is a text", { op: "append", path: ["agent"], value: 1 }],
  ["a key of a text", { op: "set", path: ["agent", "name"], value: 1 }],
  ["a key of a list", { op: "set", path: ["attempts", "first"], value: 1 }],
  ["a key taken out as if it were an item", { op: "remove", path: ["context", "taskContext"] }],
])("%s is refused", (_, edit) => {
  expect(() => editYaml(documentOf(memory), [edit])).toThrow(Error)
})

// Any text, any edits

test("after any edits of any text it has the requested value, and additions lose no line", () => {
  fc.assert(
    fc.property(yamlText, fc.array(pick, { minLength: 1, maxLength: 4 }), fc.boolean(), (text, picks, atOnce) => {
      let document = documentOf(text)
      let model: unknown = structuredClone(document.value)
      const edits: YamlEdit[] = []
      for (const picked of picks) {
        const edit = toEdit(picked, model, atOnce && edits.length > 0 ? undefined : document)
        if (!edit) continue
        edits.push(edit)
        const isNew = edit.op === "append" || (edit.op === "set" && valueAt(model, edit.path) === undefined)
        model = applied(model, edit)
        if (atOnce) continue
        const edited = documentOf(editYaml(document, [edit]))
        if (isNew) expect(lostLines(document.text, edited.text).length).toBeLessThanOrEqual(1)
        document = edited
      }
      if (atOnce) document = documentOf(editYaml(document, edits))
      expect(document.value).toEqual(model)
      expect(parse(document.text)).toEqual(model)
    }),
    { numRuns },
  )
})

type Pick = {
  kind: "set" | "unset" | "new key" | "append" | "new list" | "remove" | "move"
  at: number
  from: number
  value: unknown
}

const pick: fc.Arbitrary<Pick> = fc.record({
  kind: fc.constantFrom("set", "unset", "new key", "append", "new list", "remove", "move"),
  at: fc.nat(1000),
  from: fc.nat(1000),
  value: yamlValue,
})

function toEdit(
  { kind, at, from, value }: Pick,
  model: unknown,
  document: YamlDocument | undefined,
): YamlEdit | undefined {
  const paths = pathsOf(model)
  const choose = (choice: YamlPath[], number = at): YamlPath | undefined => choice[number % choice.length]
  const keys = paths.filter((path) => typeof path.at(-1) === "string")
  const items = paths.filter((path) => typeof path.at(-1) === "number")
  const maps = paths.filter((path) => isRecord(valueAt(model, path)))
  const lists = paths.filter(
    (path) => Array.isArray(valueAt(model, path)) || (valueAt(model, path) === null && keys.includes(path)),
  )
  const path = choose(
    { set: paths.slice(1), unset: keys, "new key": maps, append: lists, "new list": maps, remove: items, move: lists }[
      kind
    ],
  )
  const source = choose(items, from)
  if (!path) return undefined
  switch (kind) {
    case "set":
      return { op: "set", path, value }
    case "unset":
      return { op: "set", path, value: undefined }
    case "new key":
      return { op: "set", path: [...path, `key ${from}`], value }
    case "append":
      return { op: "append", path, value }
    case "new list":
      return { op: "append", path: [...path, `list ${from}`, "deeper"], value }
    case "remove":
      return { op: "remove", path }
    case "move":
      return document && source && { op: "appendSource", path, source: sourceOf(document, source) }
  }
}

/** The same edit on plain data, in another way than the editor's. */
function applied(model: unknown, edit: YamlEdit): unknown {
  const root = { root: structuredClone(model) }
  const [first, ...steps] = ["root", ...edit.path]
  let holder: Record<string, unknown> = root
  let last = String(first)
  for (const step of steps) {
    holder[last] ??= {}
    holder = holder[last] as Record<string, unknown>
    last = String(step)
  }
  const list = (holder[last] ?? []) as unknown[]
  if (edit.op === "remove") (holder as unknown as unknown[]).splice(Number(last), 1)
  else if (edit.op === "append") holder[last] = [...list, structuredClone(edit.value)]
  else if (edit.op === "appendSource") holder[last] = [...list, ...(parse(edit.source) as unknown[])]
  else if (edit.value === undefined) delete holder[last]
  else holder[last] = structuredClone(edit.value)
  return root.root
}

/** Lines that no longer exist; a multi-line list in flow style may be rewritten. */
function lostLines(before: string, after: string): string[] {
  const left = after.split(/\r?\n/)
  return before.split(/\r?\n/).filter((line) => {
    const at = left.indexOf(line)
    if (at !== -1) left.splice(at, 1)
    return at === -1 && line.trim() !== "" && !/^ *(?:one,|two # c\d+|\])$/.test(line)
  })
}

function pathsOf(value: unknown): YamlPath[] {
  if (typeof value !== "object" || value === null) return [[]]
  const below = Object.entries(value).flatMap(([key, member]) => {
    return pathsOf(member).map((path): YamlPath => [Array.isArray(value) ? Number(key) : key, ...path])
  })
  return [[], ...below]
}

function documentOf(text: string): YamlDocument {
  const reading = readYaml(text)
  if (reading.kind === "broken") throw new Error(`${JSON.stringify(reading.problems)}\n${text}`)
  return reading.document
}

function lineFeeds(text: string): string {
  return text
}

function carriageReturns(text: string): string {
  return text.replaceAll("\n", "\r\n")
}

function noFinalLineEnd(text: string): string {
  return text.replace(/# the end\n$/, "# the end")
}

function asWhole(text: string): string {
  return text.replace(/^# the developer's notes\n/, "# the developer's notes\n---\n")
}
