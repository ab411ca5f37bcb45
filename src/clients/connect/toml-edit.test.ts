import { parse } from "smol-toml"
import { expect, test } from "vitest"
import { addTomlTable, findTomlTable, removeTomlTable } from "./toml-edit.ts"

const table = { name: "mcp_servers.drey", values: { command: "drey", args: ["mcp"], startup_timeout_sec: 20 } }
const written = '[mcp_servers.drey]\ncommand = "drey"\nargs = [ "mcp" ]\nstartup_timeout_sec = 20'

const busy = `# my settings
model = "gpt-5.5" # the good one
big = 9223372036854775807
when = 1979-05-27T07:32:00Z
notes = """
[mcp_servers.drey]
not a table
"""

[mcp_servers.other]
command = 'other'
args = [
  "[x]",  # odd
]
  [mcp_servers.other.env]
  KEY = "a"

[[rules]]
name = "one"

[projects."/home/me/a.b"]
trust_level = "trusted"
`

test.each([
  ["an empty file", "", `${written}\n`],
  ["a busy file", busy, `${busy}\n${written}\n`],
  ["no last line end", "a = 1", `a = 1\n\n${written}`],
  ["CRLF", "a = 1\r\n", `a = 1\r\n\r\n${written.replaceAll("\n", "\r\n")}\r\n`],
  ["a byte order mark", "\uFEFFa = 1\n", `\uFEFFa = 1\n\n${written}\n`],
])("a table is added at the end and removed without a trace: %s", (_, text, after) => {
  expect(addTomlTable(text, table, "f")).toBe(after)
  expect(findTomlTable(after, table, "f")).toBe("same")
  expect(addTomlTable(after, table, "f")).toBe(after)
  expect(removeTomlTable(after, table, "f")).toBe(text)
})

test("text within the table is removed with it, and the following comments are kept", () => {
  const text = `${busy}\n${written} # mine\n\n[mcp_servers.drey.env]\nDREY_HOME = "/x"\n\n# about b\n[b]\nc = 1\n`
  expect(findTomlTable(text, table, "f")).toBe("different")
  expect(removeTomlTable(text, table, "f")).toBe(`${busy}\n# about b\n[b]\nc = 1\n`)
})

test("another version of the table is replaced", () => {
  const after = addTomlTable('[mcp_servers.drey]\ncommand = "old"\n\n[b]\nc = 1\n', table, "f")
  expect(parse(after)).toEqual({ mcp_servers: { drey: table.values }, b: { c: 1 } })
})

test("an uneditable table and invalid TOML leave the file unchanged", () => {
  expect(() => addTomlTable('mcp_servers = { other = { command = "x" } }\n', table, "f")).toThrow("not changed")
  expect(() => addTomlTable('[[mcp_servers]]\nname = "x"\n', table, "f")).toThrow("not changed")
  expect(() => removeTomlTable('mcp_servers.drey = { command = "x" }\n', table, "f")).toThrow("not changed")
  expect(() => addTomlTable("a = \n", table, "config.toml")).toThrow("config.toml:1:5 is not valid TOML")
})
