import { isDeepStrictEqual } from "node:util"
import { readAgentMemory } from "../../../../src/formats/session/agent-memory-file.ts"
import { readSiblingFile, type SiblingKind } from "../../../../src/formats/session/sibling-file.ts"
import { fullMemory, memoryHead } from "../../../../src/formats/session/test-session-memory.ts"
import { editYaml } from "../../../../src/formats/session/yaml-editor.ts"
import { readYaml } from "../../../../src/formats/session/yaml-reader.ts"
import { expectThat, type Reader } from "../reader.ts"

const siblings: readonly SiblingKind[] = ["context", "conversation", "plan", "metadata"]
const head = (schema: string) => `version: "1"\nschema: ${schema}\nsessionId: 20260302-080509-0a1b2c3d-prices\n`

/** A session's files: read as each kind, then edited, which leaves every line that was not meant. */
export const sessionYaml: Reader = {
  name: "session-yaml",
  largest: 128 * 1024,
  share: 60,
  examples: () => [
    fullMemory,
    `${memoryHead}discoveries: []\ncontext: { nextSteps: [a, "b # c"], blockers: &b [x] }\nassumptions: *b\n`,
    `${head("session-context")}state: executing\ntask: >-\n  Prices\n  are wrong\nstartedAt: "2026-03-02T08:05:09Z"\n`,
    `${head("session-conversation")}messages:\n  - id: message-001\n    timestamp: "2026-03-02T08:05:09Z"\n    role: user\n    content: |\n      Go\n\n  - {id: m-2, role: tool, content: ''}\n`,
    `${head("session-plan")}plans:\n- id: plan-001\n  steps:\n  - {number: 1, title: Read}\n`,
  ],
  grammar: {
    text: ["<pair><text>", "<pair>", "# <word>\n<text>", "---\n<text>", ""],
    pair: [
      "<key>: <scalar>\n",
      "<key>:\n<items>",
      "<key>:\n  <key>: <scalar>\n  <key>:\n    - <scalar>\n",
      "? <key>\n: <scalar>\n",
      "<key>: <scalar>\n",
    ],
    key: [
      "version",
      "discoveries",
      "attempts",
      "decisions",
      "context",
      "history",
      "messages",
      "id",
      '"a b"',
      "<word>",
      "__proto__",
      "constructor",
      "k",
    ],
    items: [
      "  - <scalar>\n<items>",
      "- id: <word>\n  <key>: <scalar>\n<items>",
      "    - [<scalar>, <scalar>]\n",
      "  -\n",
    ],
    scalar: [
      "<word>",
      "'<word>'",
      '"<word>"',
      "[<scalar>, <scalar>]",
      "{<key>: <scalar>}",
      "|\n    <word>\n     <word>\n",
      ">+\n    <word>\n\n",
      "&a <word>",
      "*a",
      "!!str <number>",
      "<number>",
      "2026-03-02T08:05:09Z",
      "~",
    ],
  },
  open: () => ({
    read(input) {
      const text = input.toString("utf8")
      const sibling = siblings[text.length % siblings.length] ?? "context"
      const readings = [readAgentMemory(text), readSiblingFile(sibling, text)]
      const reading = readYaml(text)
      if (reading.kind === "broken" || /\r(?!\n)/.test(text)) return readings // around a lone carriage return nothing is edited
      const edited = editYaml(reading.document, [{ op: "set", path: ["drey-fuzz"], value: { note: "a: b\n# c" } }])
      const again = readYaml(edited)
      const expected = { ...reading.document.value, "drey-fuzz": { note: "a: b\n# c" } }
      expectThat(
        again.kind === "read" && isDeepStrictEqual(plain(again.document.value), plain(expected)),
        "an edit changes what it names alone",
      )
      return [readings, reading.document.value]
    },
  }),
}

/** As JSON says it, whatever prototypes a parser gave its objects. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
