import { readdirSync } from "node:fs"
import { basename, join } from "node:path"
import { DreyError } from "../errors.ts"
import { agentSlug } from "../formats/session/session-id.ts"
import { clearContent } from "./clear-values.ts"
import type { SessionFiles } from "./session-files.ts"

/** Where one agent's memory of a session is, and where what was archived of it. */
export type AgentFile = { agent: string; path: string; archivePath: string }

const firstFile = "agent-memory.yaml"
const fileName = /^agent-memory(?:\.[a-z0-9-]+)?\.yaml$/

/**
 * What becomes of an agent's file that cannot be read, where others can: it is passed over and told of, for one agent's trouble is not
 * that of all; or passed over in silence; or it stops everything.
 */
export type Unreadable = "warn" | "skip" | "throw"

/** Every agent with a file, the session's first agent first. The name in the file counts, whatever the file is called. */
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

/** How many there are, whatever is in them. */
export function countAgentFiles({ folder }: SessionFiles): number {
  return memoryPaths(folder).length
}

/** Does something with each agent's files. Where those of one stand in the way it is told and the others go on, as long as there are any. */
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

/** The file of an agent, without one of the session's first; where the agent is new, the file that it will have. */
export function findAgentFile(files: SessionFiles, agent: string | undefined): AgentFile {
  const first = join(files.folder, firstFile)
  if (agent === undefined) return agentFile(nameOfFirst(files, first), first)
  const likely = [first, pathOf(files.folder, agentSlug(agent))]
  const path =
    likely.find((path) => agentIn(files, path) === agent) ??
    memoryPaths(files.folder).find((path) => agentIn(files, path) === agent)
  return agentFile(agent, path ?? placeFor(files, agent))
}

/** The agent that a file names; undefined when there is no file or nothing can be read in it, which matters only to who has to write it. */
function agentIn(files: SessionFiles, path: string): string | undefined {
  return files.readValid("memory", path)?.data.agent
}

function nameOfFirst(files: SessionFiles, first: string): string {
  const agent = agentIn(files, first) ?? firstOnRecord(files)
  if (agent !== undefined) return agent
  files.read("memory", first) // tells what is wrong with the file, if there is one
  throw new DreyError(`${first} does not exist, so the session has no default agent`, {
    hint: "Name the agent with --agent.",
  })
}

/** The place of a new file: nobody's, or one that cannot be read and must be this agent's by its name. */
function placeFor(files: SessionFiles, agent: string): string {
  const first = join(files.folder, firstFile)
  if (agentIn(files, first) === undefined && [agent, undefined].includes(firstOnRecord(files))) return first
  const slug = agentSlug(agent)
  for (let count = 1; ; count++) {
    const path = pathOf(files.folder, count === 1 ? slug : `${slug}-${count}`)
    if (agentIn(files, path) === undefined) return path
  }
}

/** As the session's metadata tells it. */
function firstOnRecord(files: SessionFiles): string | undefined {
  return files.readValid("metadata", files.pathOf("metadata"))?.data.agents[0]
}

const longestName = 80

/** An agent's name as it is written and looked for; it passes the gate before it becomes the name of a file. */
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
