import type { SessionMetadata } from "../formats/session/sibling-files.ts"
import { readMemories } from "./read-memories.ts"
import type { SessionExport } from "./session.ts"
import type { SessionFiles } from "./session-files.ts"

/** All that a session's files hold as one value, what was archived in its place among the entries. */
export function exportSession(files: SessionFiles, metadata: SessionMetadata): SessionExport {
  return {
    id: files.id,
    metadata,
    state: files.readOrWarn("context", files.pathOf("context"))?.data,
    plans: files.readOrWarn("plan", files.pathOf("plan"))?.data.plans ?? [],
    messages: files.readOrWarn("conversation", files.pathOf("conversation"))?.data.messages ?? [],
    agents: [...readMemories(files, { archived: true }).values()],
  }
}
