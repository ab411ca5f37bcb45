import { existsSync } from "node:fs"
import { join } from "node:path"
import { renameFileDurable } from "../disk/rename-file.ts"
import { removeFolder, writeFileAtomic } from "../disk/write-file-atomic.ts"
import { makeSessionId } from "../formats/session/session-id.ts"
import { generated } from "../governance/cleared.ts"
import { nameOfAgent } from "./agent-files.ts"
import { clearContent } from "./clear-values.ts"
import { newState } from "./keep-state.ts"
import { newFileText, newMemory } from "./new-file-text.ts"
import { requireCount, requireText } from "./require-input.ts"
import { makeSessionFolder, makeSessionsFolder } from "./sessions-folder.ts"

export type SessionStart = {
  task: string
  agent?: string | undefined
  provider?: string | undefined
  maxIterations?: number | undefined
}

const defaultAgent = "agent"

/** Makes the folder and the files of a new session and tells its id. Nobody sees the folder before all of them are in it. */
export function startSession(folder: string, request: SessionStart, now: Date, makeHex: () => string): string {
  requireText("The task", request.task)
  requireCount("maxIterations", request.maxIterations)
  const agent = nameOfAgent(request.agent) ?? defaultAgent
  const id = freeId(folder, clearContent(request.task), now, makeHex)
  const startedAt = now.toISOString()
  const [memory, state] = [newMemory(id, agent, now), newState(id, { ...request, agent, startedAt })]
  const sizeBytes = Buffer.byteLength(memory) + Buffer.byteLength(state)
  const texts = {
    "agent-memory.yaml": memory,
    "context.yaml": state,
    "metadata.yaml": newMetadata(id, { task: request.task, agent, createdAt: startedAt, sizeBytes }),
  }
  makeSessionsFolder(folder)
  const unfinished = join(folder, unfinishedName(id))
  try {
    makeSessionFolder(unfinished)
    for (const [name, text] of Object.entries(texts))
      writeFileAtomic(join(unfinished, name), generated(text), { mode: 0o600 })
    renameFileDurable(unfinished, join(folder, id))
  } catch (error) {
    removeFolder(unfinished)
    throw error
  }
  return id
}

/** What the folder of a session is called before all of it is there. */
export function unfinishedName(id: string): string {
  return `.new-${id}`
}

function freeId(folder: string, task: string, now: Date, makeHex: () => string): string {
  for (;;) {
    const id = makeSessionId(task, now, makeHex())
    if (!existsSync(join(folder, id))) return id
  }
}

type NewMetadata = { task: string; agent: string; createdAt: string; sizeBytes: number }

function newMetadata(id: string, { task, agent, createdAt, sizeBytes }: NewMetadata): string {
  return newFileText("session-metadata", id, {
    task,
    status: "active",
    createdAt,
    updatedAt: createdAt,
    durationMs: 0,
    agents: [agent],
    counts: { discoveries: 0, attempts: 0, decisions: 0, failures: 0 },
    filesModified: [],
    tokens: { input: 0, output: 0 },
    sizeBytes,
    archived: false,
  })
}
