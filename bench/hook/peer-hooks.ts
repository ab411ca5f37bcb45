import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { installPeers } from "../recall/peers/install-peers.ts"
import type { Contestant } from "./run-in-turns.ts"

export type PeerHook = { name: string; hook: (prompt: string) => Contestant; env: Record<string, string> }

/** The prompt hook of Memorix, the only peer with one that installs from npm and runs without a key; its memory is empty, which is in its favour. */
export async function memorixHook(cache: string, folder: string): Promise<PeerHook | { reason: string }> {
  const peers = join(cache, "peers")
  const outcome = await installPeers(peers)
  if (outcome.kind === "missing") return { reason: outcome.reason }
  const script = join(peers, "node_modules", "memorix", "dist", "cli", "index.js")
  if (!existsSync(script)) return { reason: `${script} is not there` }
  const project = join(folder, "memorix")
  mkdirSync(project, { recursive: true })
  execFileSync("git", ["init", "-q"], { cwd: project })
  const told = { session_id: "bench", hook_event_name: "UserPromptSubmit", cwd: project }
  return {
    name: "memorix 1.0.7, prompt hook",
    hook: (prompt) => ({
      args: [script, "hook", "--agent", "claude"],
      input: JSON.stringify({ ...told, prompt }),
      prints: /continue/,
    }),
    env: { HOME: project, MEMORIX_DATA_DIR: join(project, "data"), MEMORIX_EMBEDDING: "off" },
  }
}
