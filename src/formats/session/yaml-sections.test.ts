import fc from "fast-check"
import { expect, test } from "vitest"
import { brokenYaml, yamlText } from "./test-yaml-text.ts"
import { cutSections, joinSections } from "./yaml-sections.ts"

const numRuns = Math.ceil(Number(process.env.DREY_PROPERTY_RUNS ?? 10_000) / 10)

test("a text is split at its keys and the items of their lists; comments stay with what follows", () => {
  expect(cutSections("# head\na: 1 # one\n\nlist:\n  # first\n  - x: |\n      - y\n\n  - z\n# end\n")).toEqual({
    sections: [
      { before: "# head\n", text: "a: 1 # one\n", key: "a" },
      {
        before: "\n",
        text: "list:\n",
        key: "list",
        items: [
          { before: "  # first\n", text: "  - x: |\n      - y\n" },
          { before: "\n", text: "  - z\n" },
        ],
      },
    ],
    after: "# end\n",
  })
})

test.each([
  "",
  "# nothing\n",
  "- a\n",
  "{a: 1}\n",
  "---\na: 1\n",
  "%YAML 1.2\n---\na: 1\n",
  "? a\n: 1\n",
  '"a": 1\n',
  "a: [\n1\n]\n",
  "a:\n\t- x\n",
  "true: 1\n",
])("%j is not split", (text) => {
  expect(cutSections(text)).toBeUndefined()
})

test("all parts joined are the text", () => {
  fc.assert(
    fc.property(fc.oneof(yamlText, brokenYaml), (text) => {
      const cut = cutSections(text)
      if (cut) expect(joinSections(cut)).toBe(text)
    }),
    { numRuns },
  )
})
