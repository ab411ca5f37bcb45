import { readAgentMemory } from "../../src/formats/session/agent-memory-file.ts"
import { editYaml } from "../../src/formats/session/yaml-editor.ts"
import type { YamlDocument } from "../../src/formats/session/yaml-tree.ts"

export type BlockCheck = { total: number; read: number; same: number; kept: number; problems: string[] }

const head = `version: "1"
schema: "agent-memory"
sessionId: "20260123-103000-abc1def2-auth-feature"
agent: "developer"
createdAt: "2026-01-23T10:31:05.000Z"
`

/** Puts every fenced YAML block of a text through the reader and the editor; a fragment gets the head that it lacks. */
export function checkBlocks(text: string): BlockCheck {
  const check: BlockCheck = { total: 0, read: 0, same: 0, kept: 0, problems: [] }
  for (const [, block = ""] of text.matchAll(/^```ya?ml\n([\s\S]*?)^```/gm)) {
    check.total++
    const source = block.includes("sessionId:") ? block : head + block.replace(/^(?:version|schema):.*\n/gm, "")
    const reading = readAgentMemory(source)
    if (reading.kind !== "read") {
      check.problems.push(`block ${check.total}: ${reading.problems.map(({ message }) => message).join("; ")}`)
      continue
    }
    check.read++
    if (editYaml(reading.document, []) === source) check.same++
    if (keepsLines(source, reading.document)) check.kept++
    else check.problems.push(`block ${check.total} loses lines when a discovery is added`)
  }
  return check
}

/** Every line of the source is still there, in its order, when an entry and a field were added. */
function keepsLines(source: string, document: YamlDocument): boolean {
  const added = { id: "discovery-999", timestamp: "2026-01-23T11:00:00.000Z", type: "code_pattern", content: "New." }
  const lines = editYaml(document, [
    { op: "append", path: ["discoveries"], value: added },
    { op: "set", path: ["updatedAt"], value: "2026-01-23T11:00:00.000Z" },
  ]).split("\n")
  let at = 0
  for (const line of source.trimEnd().split("\n")) {
    at = lines.indexOf(line, at) + 1
    if (at === 0) return false
  }
  return true
}
