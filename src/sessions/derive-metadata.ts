import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { DreyError } from "../errors.ts"
import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { instantOfMoment } from "../formats/session/instant-of-moment.ts"
import type { SessionMetadata } from "../formats/session/sibling-files.ts"
import { countAgentFiles, listAgentFiles } from "./agent-files.ts"
import { isEnd } from "./keep-state.ts"
import { readMemories } from "./read-memories.ts"
import type { SessionFiles } from "./session-files.ts"
import { addTallies, tallyOf } from "./tally.ts"

/** The metadata as all other files of a session tell it; `old` for what only the metadata itself says. */
export function deriveMetadata(files: SessionFiles, old: SessionMetadata | undefined): SessionMetadata {
  const memories = readMemories(files, { archived: true })
  const state = files.readOrWarn("context", files.pathOf("context"))?.data
  const { counts, tokens, files: filesModified } = addTallies([...memories.values()].map(tallyOf))
  const times = [...memories.values()]
    .flatMap(({ createdAt, updatedAt = createdAt }) => [createdAt, updatedAt])
    .sort(byTime)
  const [earliest] = times
  if (earliest === undefined) throw new DreyError(`${files.folder} contains no agent memory`)
  const createdAt = old?.createdAt ?? state?.startedAt ?? earliest
  const updatedAt = [...times, old?.updatedAt ?? earliest].sort(byTime).at(-1) ?? earliest
  return {
    version: "1",
    schema: "session-metadata",
    sessionId: files.id,
    task: state?.task ?? "",
    status: state && isEnd(state.state) ? state.state : "active",
    ...old,
    createdAt,
    updatedAt,
    durationMs: durationOf(createdAt, old?.endedAt ?? updatedAt),
    agents: agentsOf(files, memories, old),
    counts: { ...old?.counts, ...counts },
    filesModified,
    tokens: { ...old?.tokens, ...tokens },
    live: Object.fromEntries([...readMemories(files)].map(([agent, memory]) => [agent, liveTally(memory)])),
    sizeBytes: sizeOf(files),
    archived: listAgentFiles(files).some(({ archivePath }) => existsSync(archivePath)),
  }
}

/** What the metadata remembers of one agent's file, to tell later what came to it or went from it. */
export function liveTally(memory: AgentMemory): NonNullable<SessionMetadata["live"]>[string] {
  const { counts, tokens } = tallyOf(memory)
  return { counts, tokens }
}

/** What the files of a session take on the disk; its metadata, which says so, is not counted. */
export function sizeOf({ folder, pathOf }: SessionFiles): number {
  const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"))
  return names
    .map((name) => join(folder, name))
    .filter((path) => path !== pathOf("metadata"))
    .reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)
}

/** Those whose files cannot be read just now are agents of the session all the same. */
function agentsOf(
  files: SessionFiles,
  memories: ReadonlyMap<string, AgentMemory>,
  old: SessionMetadata | undefined,
): string[] {
  const isWhole = countAgentFiles(files) === memories.size
  return [...new Set([...(isWhole ? [] : (old?.agents ?? [])), ...memories.keys()])]
}

export function durationOf(from: string, to: string): number {
  return Math.max(0, (instantOfMoment(to) ?? 0) - (instantOfMoment(from) ?? 0))
}

function byTime(one: string, other: string): number {
  return (instantOfMoment(one) ?? 0) - (instantOfMoment(other) ?? 0)
}
