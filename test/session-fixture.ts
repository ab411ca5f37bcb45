import { type CliResult, readTree } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

export const id = "20260310-060000-0a1b2c3d-lantern-search"
export const folder = `.squad/sessions/${id}`
export const path = `${folder}/agent-memory.yaml`

/** An agent's file with nothing wrong in it. */
export const good = `version: "1"
schema: agent-memory
sessionId: ${id}
agent: developer
createdAt: "2026-03-10T06:00:00.000Z"
discoveries:
  - id: discovery-001
    timestamp: "2026-03-10T06:10:00.000Z"
    type: code_pattern
    content: Lanterns are rows
attempts: []
decisions: []
`

export const metadata = `version: "1"
schema: session-metadata
sessionId: ${id}
task: Make lanterns searchable
status: active
createdAt: "2026-03-10T06:00:00.000Z"
agents: [developer]
counts: { discoveries: 1, attempts: 0, decisions: 0, failures: 0 }
tokens: { input: 0, output: 0 }
sizeBytes: 400
archived: false
`

/** For tests: runs `drey session …` in the session of these files. */
export function runSession(cwd: string, ...args: string[]): Promise<CliResult> {
  return runWarm(["session", ...args], { cwd, env: { DREY_SESSION: id } })
}

/** For tests: all files but the lock, which every change takes. */
export function treeOf(cwd: string): Record<string, string> {
  const files = Object.entries(readTree(cwd)).filter(
    ([name]) => !name.includes("/.drey") && !name.endsWith(".gitignore"),
  )
  return Object.fromEntries(files)
}
