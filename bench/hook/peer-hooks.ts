import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { installPeer } from "../peers/install-peer.ts"
import { memorix } from "../peers/memorix.ts"
import type { Contestant } from "./run-in-turns.ts"

export type PeerHook = { name: string; hook: (prompt: string) => Contestant; env: Record<string, string> }

/** The prompt hook of Memorix, the only peer with one that installs from npm and runs without a key; its memory is empty, which is in its favour. */
export async function memorixHook(cache: string, folder: string): Promise<PeerHook | { reason: string }> {
  const outcome = await installPeer(join(cache, "peers"), memorix.name, memorix.packages)
  if (outcome.kind === "missing") return { reason: outcome.reason }
  const script = join(outcome.folder, "node_modules", "memorix", "dist", "cli", "index.js")
  if (!existsSync(script)) return { reason: `${script} is not there` }
  const project = join(folder, "memorix")
  mkdirSync(project, { recursive: true })
  execFileSync("git", ["init", "-q"], { cwd: project })
  const told = { session_id: "bench", hook_event_name: "UserPromptSubmit", cwd: project }
  return {
    name: `Memorix ${memorix.packages.memorix}, prompt hook`,
    hook: (prompt) => ({
      args: [script, "hook", "--agent", "claude"],
      input: JSON.stringify({ ...told, prompt }),
      prints: /continue/,
    }),
    env: { HOME: project, MEMORIX_DATA_DIR: join(project, "data"), MEMORIX_EMBEDDING: "off" },
  }
}
