import type { JsonPart, TomlTable } from "../../../../src/clients/client-wiring.ts"
import { addJsonPart, findJsonPart, isEmptyJson, removeJsonPart } from "../../../../src/clients/connect/json-edit.ts"
import { addTomlTable, findTomlTable, removeTomlTable } from "../../../../src/clients/connect/toml-edit.ts"
import { expectThat, type Reader } from "../reader.ts"

const parts: readonly JsonPart[] = [
  { kind: "key", path: ["mcpServers", "drey"], value: { command: "drey", args: ["mcp"] } },
  {
    kind: "item",
    path: ["hooks", "Stop"],
    value: { hooks: [{ command: "drey hook x Stop; exit 0" }] },
    mark: "hook x Stop",
  },
  { kind: "default", path: ["version"], value: 1 },
]

/** Settings of clients with comments: what is put in is found, and taken out again it leaves every byte as it was. */
export const settingsJson: Reader = {
  name: "settings-jsonc",
  share: 90,
  examples: () => [
    '{\n  // mine\n  "mcpServers": {\n    "other": { "command": "x", /* odd */ "args": [], },\n  },\n  "hooks": { "Stop": [{ "hooks": [{ "command": "beep" }] }] }\n}\n',
    '\uFEFF{\r\n\t"a": 1,\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t]\r\n\t},\r\n}',
    '{"mcpServers":{"drey":{"command":"old"}},"version":2}',
  ],
  grammar: {
    text: ["<comment>{<pairs>}<comment>", "{<pairs>}", "{}"],
    pairs: ["<pair>,<pairs>", "<pair>,", "<pair>"],
    pair: ['<comment>"<key>"<comment>: <value><comment>', '"<key>":<value>'],
    key: ["mcpServers", "hooks", "Stop", "drey", "version", "__proto__", "<word>", "k"],
    value: ["{<pairs>}", "[<value>,<value>]", "[<value>,]", '"<word>"', "<number>", "null", "{}", "[]", "true"],
    comment: ["\n// <word>\n", "/* <word> */", "\r\n\t", " ", ""],
  },
  open: () => ({
    read(input) {
      const text = input.toString("utf8")
      const states = parts.map((part) => findJsonPart(text, part, "f"))
      isEmptyJson(text, "f")
      const written = parts.reduce((rest, part) => addJsonPart(rest, part, "f"), text)
      for (const part of parts)
        expectThat(
          findJsonPart(written, part, "f") === "same" || states.includes("different"),
          "what was put in is there",
        )
      if (states.every((state) => state === "absent") && text.replace(/^\uFEFF/, "").trim() !== "") {
        const rest = parts.toReversed().reduce((left, part) => removeJsonPart(left, part, "f", text), written)
        expectThat(isSameButSpace(rest, text), "what was put in goes without a trace")
      }
      return states
    },
  }),
}

/** Space may be another, and where there were only comments, a document's own brackets stay. */
function isSameButSpace(rest: string, original: string): boolean {
  const [left, before] = [rest, original].map((text) => text.replace(/\s+/g, ""))
  return left === before || left === `${before}{}`
}

const table: TomlTable = {
  name: "mcp_servers.drey",
  values: { command: "drey", args: ["mcp"], startup_timeout_sec: 20 },
}

/** The same for TOML. */
export const settingsToml: Reader = {
  name: "settings-toml",
  share: 60,
  examples: () => [
    '# my settings\nmodel = "gpt-5.5" # good\nbig = 9223372036854775807\nwhen = 1979-05-27T07:32:00Z\nnotes = """\n[mcp_servers.drey]\nnot a table\n"""\n\n[mcp_servers.other]\ncommand = \'other\'\nargs = [\n  "[x]",  # odd\n]\n\n[[rules]]\nname = "one"\n\n[projects."/home/me/a.b"]\ntrust_level = "trusted"\n',
    '[mcp_servers.drey]\r\ncommand = "old"\r\n\r\n[mcp_servers.drey.env]\r\nA = "b"',
  ],
  grammar: {
    text: ["<pair><text>", "<table><text>", "<table>"],
    table: ["[<name>]\n<pair>", "[[<name>]]\n", "[mcp_servers.<name>]\n<pair><pair>", "\n"],
    name: ["mcp_servers", "drey", "other", '"a.b"', "'x'", "__proto__", "a . b", "k"],
    pair: ["<name> = <value>\n", "<name>.<name> = <value> # <word>\n", "# <word>\n"],
    value: [
      '"<word>"',
      "'<word>'",
      "[<value>, <value>]",
      "{ <name> = <value> }",
      '"""\n[mcp_servers.drey]\n"""',
      "<number>",
      "true",
    ],
  },
  open: () => ({
    read(input) {
      const text = input.toString("utf8")
      const state = findTomlTable(text, table, "f")
      const written = addTomlTable(text, table, "f")
      expectThat(findTomlTable(written, table, "f") === "same", "what was put in is there")
      if (state === "absent" && text.replace(/^\uFEFF/, "").trim() !== "")
        expectThat(removeTomlTable(written, table, "f") === text, "what was put in goes without a trace")
      return state
    },
  }),
}
