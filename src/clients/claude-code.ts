import { join } from "node:path"
import { claudeLines } from "./claude-lines.ts"
import type { Client, Machine } from "./client.ts"
import { findFiles } from "./find-files.ts"
import { readLines } from "./read-lines.ts"

/**
 * Sessions are `projects/<folder>/<session>.jsonl`; deeper files belong to sub-agents, whose work the session
 * summarizes.
 */
export const claudeCode: Client = {
  id: "claude-code",
  name: "Claude Code",
  maturity: "proven",
  find: (machine) => findSessions(machine).map((path) => ({ client: "claude-code", path })),
  recognises: (path, beginning) => path.endsWith(".jsonl") && ownKeys.test(beginning),
  read: (transcript, from) => readLines(transcript, from, claudeLines),
}

/** Keys that only its records have. */
const ownKeys =
  /"(?:parentUuid|isSidechain|leafUuid)":|"type":"(?:file-history-snapshot|queue-operation)"|^\{"type":"(?:user|assistant)",[^\n]{0,400}"message":\{/m

function findSessions({ home, environment }: Machine): string[] {
  const folder = environment.CLAUDE_CONFIG_DIR || join(home, ".claude")
  return findFiles(join(folder, "projects"), 2, (name) => name.endsWith(".jsonl") && !name.startsWith("agent-"))
}
