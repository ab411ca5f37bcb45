import { expect, test } from "vitest"
import { sha256 } from "../../disk/hash.ts"
import { DreyError } from "../../errors.ts"
import { readBundle } from "./bundle.ts"

test.each([
  ["no JSON", "{", "is not JSON"],
  ["a list", "[]", "it is not a JSON object"],
  ["no version", { agents: {} }, "its version is undefined"],
  ["another version", { version: "2.0" }, 'its version is "2.0", not "1.0"'],
  ["a version that is a number", { version: 1 }, "its version is 1"],
  ["nothing in it", { version: "1.0", agents: {}, skills: [] }, "it is empty"],
  ["agents as a list", { version: "1.0", agents: [] }, '"agents" is not an object'],
  ["an agent that is text", { version: "1.0", agents: { kane: "x" } }, 'the agent "kane" is not an object'],
  [
    "a charter that is a number",
    { version: "1.0", agents: { kane: { charter: 1 } } },
    '"agents.kane.charter" is not text',
  ],
  [
    "an agent outside the folder",
    { version: "1.0", agents: { "../x": {} } },
    '"../x" is not a valid name for an agent',
  ],
  ["an agent with a slash", { version: "1.0", agents: { "a/b": {} } }, '"a/b" is not a valid name'],
  ["an agent with a leading dot", { version: "1.0", agents: { ".git": {} } }, '".git" is not a valid name'],
  ["casting as text", { version: "1.0", casting: "x" }, '"casting" is not an object'],
  ["a registry that is text", { version: "1.0", casting: { registry: "x" } }, '"casting.registry" is not JSON data'],
  ["skills as an object", { version: "1.0", skills: {} }, '"skills" is not a list'],
  ["a skill that is a number", { version: "1.0", skills: [1] }, "skill 1 is not text"],
  ["a skill without a name", { version: "1.0", skills: ["text"] }, "skill 1 has no name"],
  ["decisions that are a list", { version: "1.0", decisions_md: [] }, '"decisions_md" is not text'],
  [
    "an archive outside the folder",
    { version: "1.0", drey: { archives: { "../../x.md": "x" } } },
    "is not a valid path for a file with entries",
  ],
  [
    "an archive that is no archive",
    { version: "1.0", drey: { archives: { "config.md": "x" } } },
    "is not a valid path for a file with entries",
  ],
  [
    "an inbox file outside it",
    { version: "1.0", drey: { inbox: { "../../../x.md": "x" } } },
    "is not a valid path for a file with entries",
  ],
  [
    "an index that is an object",
    { version: "1.0", drey: { memory: { index: {} } } },
    '"drey.memory.index" is not a list',
  ],
  [
    "a tombstone outside the folder",
    { version: "1.0", drey: { memory: { tombstones: { "../x": {} } } } },
    '"../x" is not a valid name',
  ],
  [
    "a part that was changed",
    { version: "1.0", team_md: "# A\n", drey: { checksums: { "team.md": sha256("# B\n") } } },
    "the checksum of team.md does not match",
  ],
  [
    "a part that is missing",
    { version: "1.0", team_md: "# A\n", drey: { checksums: { "decisions.md": "0" } } },
    "decisions.md is missing from it",
  ],
])("a bundle with %s is refused with its reason", (_, document, message) => {
  const text = typeof document === "string" ? document : JSON.stringify(document)
  expect(() => readBundle(text, "b.json")).toThrow(DreyError)
  expect(() => readBundle(text, "b.json")).toThrow(message)
})

test("Squad's own bundle is read, with its skills named by their content", () => {
  const skills = [
    "---\nname: code-review\ndescription: x\n---\n\nBody\n",
    "# Release Train\n\n**Confidence:** low\n\nBody\n",
  ]
  const files = readBundle(
    JSON.stringify({ version: "1.0", decisions_md: "# D\n", routing_md: null, casting: {}, skills }),
    "b.json",
  )
  expect([...files.keys()]).toEqual(["decisions.md", "skills/code-review/SKILL.md", "skills/release-train/SKILL.md"])
})
