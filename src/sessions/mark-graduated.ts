import type { AgentMemory } from "../formats/session/agent-memory.ts"
import type { YamlEdit } from "../formats/session/yaml-document.ts"
import { listAgentFiles } from "./agent-files.ts"
import { listEntries } from "./references-of.ts"
import type { Graduation } from "./session.ts"
import type { SessionFiles } from "./session-files.ts"

/** Records in entries what they became, in the agent's file or its archive. Call it under the session's lock. */
export function markGraduated(files: SessionFiles, marks: readonly Graduation[]): void {
  for (const { agent, path, archivePath } of listAgentFiles(files)) {
    const own = new Map(marks.filter((mark) => mark.agent === agent).map(({ id, to }) => [id, to]))
    for (const each of own.size === 0 ? [] : [path, archivePath]) {
      const stored = files.read("memory", each)
      if (stored && editsFor(stored.data, own).length > 0)
        files.change("memory", each, ({ data }) => editsFor(data, own))
    }
  }
}

function editsFor(memory: AgentMemory, own: ReadonlyMap<string, string>): YamlEdit[] {
  return listEntries(memory).flatMap(({ section, index, entry }) => {
    const to = own.get(entry.id)
    if (to === undefined || entry.graduatedTo !== undefined) return []
    return { op: "set", path: [section, index, "graduatedTo"], value: to } as const
  })
}
