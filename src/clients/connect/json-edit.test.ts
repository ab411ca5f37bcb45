import fc from "fast-check"
import { parse } from "jsonc-parser"
import { expect, test } from "vitest"
import { DreyError } from "../../errors.ts"
import type { JsonPart } from "../client-wiring.ts"
import { addJsonPart, findJsonPart, removeJsonPart } from "./json-edit.ts"
import { testJsonc } from "./test-jsonc.ts"

const server: JsonPart = { kind: "key", path: ["mcpServers", "drey"], value: { command: "drey", args: ["mcp"] } }
const hook: JsonPart = {
  kind: "item",
  path: ["hooks", "Stop"],
  value: { hooks: [{ command: "drey hook x Stop; exit 0" }] },
  mark: "hook x Stop",
}
const version: JsonPart = { kind: "default", path: ["version"], value: 1 }

test.each([
  ["nothing", "", '{\n  "mcpServers": {\n    "drey": { "command": "drey", "args": ["mcp"] }\n  }\n}\n'],
  [
    "two spaces, another server, a comment behind the last",
    '{\n  "mcpServers": {\n    "other": {} // mine\n  }\n}\n',
    '{\n  "mcpServers": {\n    "other": {}, // mine\n    "drey": { "command": "drey", "args": ["mcp"] }\n  }\n}\n',
  ],
  [
    "tabs, CRLF, trailing commas, no last line end",
    '{\r\n\t"mcpServers": {\r\n\t\t"other": {},\r\n\t},\r\n}',
    '{\r\n\t"mcpServers": {\r\n\t\t"other": {},\r\n\t\t"drey": { "command": "drey", "args": ["mcp"] },\r\n\t},\r\n}',
  ],
  [
    "four spaces and an empty list of servers",
    '{\n    "mcpServers": {}\n}',
    '{\n    "mcpServers": {\n        "drey": { "command": "drey", "args": ["mcp"] }\n    }\n}',
  ],
  [
    "one line",
    '{ "a": 1, "mcpServers": { "other": {} } }',
    '{ "a": 1, "mcpServers": { "other": {}, "drey": { "command": "drey", "args": ["mcp"] } } }',
  ],
  [
    "a byte order mark and comments on lines of their own",
    '\uFEFF// settings\n{\n  // first\n  "a": 1\n  // last\n}\n',
    '\uFEFF// settings\n{\n  // first\n  "a": 1,\n  "mcpServers": {\n    "drey": { "command": "drey", "args": ["mcp"] }\n  }\n  // last\n}\n',
  ],
])("a key is inserted in the style of the file, and removed again: %s", (_, text, written) => {
  expect(addJsonPart(text, server, "f")).toBe(written)
  expect(findJsonPart(written, server, "f")).toBe("same")
  if (text !== "") expect(removeJsonPart(written, server, "f", text)).toBe(text)
})

test("a file with only comments gets a new document", () => {
  expect(addJsonPart("// later\n", version, "f")).toBe('// later\n{\n  "version": 1\n}\n')
})

test("a default keeps the user's value, and is removed only if Drey added it", () => {
  const theirs = '{ "version": 2 }'
  expect(addJsonPart(theirs, version, "f")).toBe(theirs)
  expect(removeJsonPart('{ "version": 1 }', version, "f", "{}")).toBe("{}")
  expect(removeJsonPart('{ "version": 1 }', version, "f", '{ "version": 1 }')).toBe('{ "version": 1 }')
  expect(removeJsonPart('{ "version": 1 }', version, "f", undefined)).toBe('{ "version": 1 }')
})

test("an item is identified by its mark, and its neighbours are kept, even within one group", () => {
  const theirs = '{\n  "hooks": {\n    "Stop": [\n      { "hooks": [{ "command": "beep" }] }\n    ]\n  }\n}\n'
  const both = addJsonPart(theirs, hook, "f")
  expect(parse(both).hooks.Stop).toHaveLength(2)
  expect(removeJsonPart(both, hook, "f", theirs)).toBe(theirs)
  const grouped = '{ "hooks": { "Stop": [{ "hooks": [{ "command": "beep" }, { "command": "drey hook x Stop" }] }] } }'
  expect(findJsonPart(grouped, hook, "f")).toBe("different")
  expect(removeJsonPart(grouped, hook, "f", undefined)).toBe(
    '{ "hooks": { "Stop": [{ "hooks": [{ "command": "beep" }] }] } }',
  )
})

test("containers of only Drey's part are removed with it, unless they existed before", () => {
  const written = addJsonPart('{\n  "a": 1\n}\n', hook, "f")
  expect(removeJsonPart(written, hook, "f", undefined)).toBe('{\n  "a": 1\n}\n')
  expect(removeJsonPart('{ "hooks": { "Stop": [{ "c": "hook x Stop" }] } }', hook, "f", '{ "hooks": {} }')).toBe(
    '{ "hooks": {} }',
  )
})

test("another version of a part is replaced in place", () => {
  const old = '{\n  "mcpServers": {\n    "drey": { "command": "old" },\n    "z": {}\n  }\n}\n'
  expect(findJsonPart(old, server, "f")).toBe("different")
  expect(addJsonPart(old, server, "f")).toBe(
    old.replace('{ "command": "old" }', '{ "command": "drey", "args": ["mcp"] }'),
  )
})

test("invalid JSON, or another type in the place, is refused with its position", () => {
  expect(() => addJsonPart('{\n  "a": ,\n}', server, "f.json")).toThrow("f.json:2:8 is not valid JSON")
  expect(() => addJsonPart('{ "mcpServers": [] }', server, "f.json")).toThrow('f.json: "mcpServers" is not an object')
  expect(() => addJsonPart("[]", server, "f.json")).toThrow("the document is not an object")
  expect(() => addJsonPart('{ "hooks": { "Stop": {} } }', hook, "f.json")).toThrow('"hooks.Stop" is not a list')
})

test("thousands of nested brackets are refused without a crash", () => {
  const deep = `{ "a": ${"[".repeat(100_000)}${"]".repeat(100_000)} }`
  expect(() => addJsonPart(deep, server, "f.json")).toThrow(
    new DreyError("f.json is nested too deeply, so the file is not changed"),
  )
})

const runs = Number(process.env.DREY_PROPERTY_RUNS ?? 500)

test("in any document other values are unchanged, and removing the parts restores every byte", () => {
  fc.assert(
    fc.property(testJsonc(), fc.shuffledSubarray([server, hook, version], { minLength: 1 }), (text, parts) => {
      const written = parts.reduce((rest, part) => addJsonPart(rest, part, "f"), text)
      expect(parse(written)).toEqual(parts.reduce(withPart, parse(text)))
      expect(parts.reduce((rest, part) => addJsonPart(rest, part, "f"), written)).toBe(written)
      const rest = [...parts].reverse().reduce((left, part) => removeJsonPart(left, part, "f", text), written)
      expect(rest).toBe(text)
    }),
    { numRuns: runs },
  )
})

/** The value of a document with a part in it, computed in another way. */
function withPart(document: Record<string, unknown>, { kind, path, value }: JsonPart): Record<string, unknown> {
  const [key = "", ...below] = path
  const inner = document[key] as Record<string, unknown> | undefined
  if (below.length > 0) return { ...document, [key]: withPart(inner ?? {}, { kind, path: below, value } as JsonPart) }
  if (kind === "item") return { ...document, [key]: [...((inner as unknown[] | undefined) ?? []), value] }
  return kind === "default" && key in document ? document : { ...document, [key]: value }
}
