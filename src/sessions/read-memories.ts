import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { type AgentFile, listAgentFiles, type Unreadable } from "./agent-files.ts"
import type { SessionFiles } from "./session-files.ts"

/** The memories of a session's agents by name, the first agent first; with `archived`, what was moved to their archives before the rest. */
export function readMemories(
  files: SessionFiles,
  { archived = false, unreadable = "warn" }: { archived?: boolean; unreadable?: Unreadable } = {},
): Map<string, AgentMemory> {
  const read = { warn: files.readOrWarn, skip: files.readValid, throw: files.read }[unreadable]
  return byAgent(listAgentFiles(files, { unreadable }), ({ path, archivePath }) => {
    const live = read("memory", path)?.data
    const archive = archived ? read("memory", archivePath)?.data : undefined
    return live && archive ? joinMemories(archive, live) : live
  })
}

/** What was moved to the archives alone. */
export function readArchives(files: SessionFiles): Map<string, AgentMemory> {
  return byAgent(listAgentFiles(files), ({ archivePath }) => files.readOrWarn("memory", archivePath)?.data)
}

function byAgent(
  agents: readonly AgentFile[],
  read: (file: AgentFile) => AgentMemory | undefined,
): Map<string, AgentMemory> {
  const memories = new Map<string, AgentMemory>()
  for (const file of agents) {
    const memory = read(file)
    if (memory) memories.set(file.agent, memory)
  }
  return memories
}

/** An entry that stands in both was about to be moved: the live one counts. */
function joinMemories(archive: AgentMemory, live: AgentMemory): AgentMemory {
  return {
    ...live,
    discoveries: withArchived(archive.discoveries, live.discoveries),
    attempts: withArchived(archive.attempts, live.attempts),
    decisions: withArchived(archive.decisions, live.decisions),
  }
}

function withArchived<Entry extends { id: string }>(archived: readonly Entry[], live: readonly Entry[]): Entry[] {
  const ids = new Set(live.map(({ id }) => id))
  return [...archived.filter(({ id }) => !ids.has(id)), ...live]
}
