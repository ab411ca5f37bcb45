import { readdirSync } from "node:fs"
import { basename, join } from "node:path"
import { DreyError } from "../errors.ts"
import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { agentSlug } from "../formats/session/session-id.ts"
import type { SessionFiles } from "./session-files.ts"
import { clearContent } from "./session-input.ts"

/** The paths of one agent's memory and of its archive. */
export type AgentFile = { agent: string; path: string; archivePath: string }

const firstFile = "agent-memory.yaml"
const fileName = /^agent-memory(?:\.[a-z0-9-]+)?\.yaml$/

/**
 * How to handle an agent's unreadable file: skip it with a warning, so that one agent's file does not block the others;
 * skip it silently; or throw.
 */
type Unreadable = "warn" | "skip" | "throw"

/** Every agent with a file, the session's first agent first. The name inside the file counts, not the file name. */
export function listAgentFiles(
  files: SessionFiles,
  { unreadable = "warn" }: { unreadable?: Unreadable } = {},
): AgentFile[] {
  const found = new Map<string, AgentFile>()
  const passedOver: string[] = []
  for (const path of memoryPaths(files.folder)) {
    const agent = unreadable === "throw" ? files.read("memory", path)?.data.agent : agentIn(files, path)
    if (agent === undefined) passedOver.push(path)
    else if (!found.has(agent)) found.set(agent, agentFile(agent, path))
  }
  if (unreadable === "warn")
    for (const path of passedOver) found.size > 0 ? files.readOrWarn("memory", path) : files.read("memory", path)
  return [...found.values()]
}

/** The number of agent files, readable or not. */
export function countAgentFiles({ folder }: SessionFiles): number {
  return memoryPaths(folder).length
}

/** Runs `act` for each agent. A failure of one agent becomes a warning and the others continue, unless all fail. */
export function eachAgent<Result>(files: SessionFiles, act: (file: AgentFile) => Result): Result[] {
  const results: Result[] = []
  const failures: DreyError[] = []
  for (const file of listAgentFiles(files)) {
    try {
      results.push(act(file))
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      failures.push(error)
    }
  }
  if (results.length === 0 && failures[0]) throw failures[0]
  for (const { message } of failures) files.warn(`${message}; the other agents were processed`)
  return results
}

/** The file of an agent (default: the session's first), or the path for a new agent. */
export function findAgentFile(files: SessionFiles, agent: string | undefined): AgentFile {
  const first = join(files.folder, firstFile)
  if (agent === undefined) return agentFile(nameOfFirst(files, first), first)
  const likely = [first, pathOf(files.folder, agentSlug(agent))]
  const path =
    likely.find((path) => agentIn(files, path) === agent) ??
    memoryPaths(files.folder).find((path) => agentIn(files, path) === agent)
  return agentFile(agent, path ?? placeFor(files, agent))
}

/** The agent named in a file; undefined if the file is missing or unreadable, which only matters to a writer. */
function agentIn(files: SessionFiles, path: string): string | undefined {
  return files.readValid("memory", path)?.data.agent
}

function nameOfFirst(files: SessionFiles, first: string): string {
  const agent = agentIn(files, first) ?? firstOnRecord(files)
  if (agent !== undefined) return agent
  files.read("memory", first) // throws the reason if the file is invalid
  throw new DreyError(`${first} does not exist, so the session has no default agent`, {
    hint: "Name the agent with --agent.",
  })
}

/** The path for a new file: unused, or an unreadable file that has this agent's name. */
function placeFor(files: SessionFiles, agent: string): string {
  const first = join(files.folder, firstFile)
  if (agentIn(files, first) === undefined && [agent, undefined].includes(firstOnRecord(files))) return first
  const slug = agentSlug(agent)
  for (let count = 1; ; count++) {
    const path = pathOf(files.folder, count === 1 ? slug : `${slug}-${count}`)
    if (agentIn(files, path) === undefined) return path
  }
}

/** According to the session's metadata. */
function firstOnRecord(files: SessionFiles): string | undefined {
  return files.readValid("metadata", files.pathOf("metadata"))?.data.agents[0]
}

const longestName = 80

/** An agent's name, normalised; it passes the governance check before it becomes a file name. */
export function nameOfAgent(agent: string | undefined): string | undefined {
  if (agent === undefined) return undefined
  const name = clearContent(agent.replace(/\s+/g, " ").trim())
  if (name !== "" && [...name].length <= longestName) return name
  throw new DreyError("Invalid agent name", {
    hint: `Use 1 to ${longestName} characters, such as developer.`,
  })
}

function memoryPaths(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => fileName.test(name))
  return names
    .sort((one, other) => Number(other === firstFile) - Number(one === firstFile) || (one < other ? -1 : 1))
    .map((name) => join(folder, name))
}

function agentFile(agent: string, path: string): AgentFile {
  const archiveName = basename(path).replace("agent-memory", "agent-memory-archive")
  return { agent, path, archivePath: join(path, "..", archiveName) }
}

function pathOf(folder: string, slug: string): string {
  return join(folder, `agent-memory.${slug}.yaml`)
}

/** The memories of a session's agents by name, the first agent first; with `archived`, archived entries come before the rest. */
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

/** Archived entries only. */
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

/** An entry in both files was about to be moved: the live one counts. */
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
