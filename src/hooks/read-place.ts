import type { ClientId } from "../clients/client.ts"
import { type JsonObject, textOf } from "../clients/json-value.ts"
import type { HookPlace } from "./hook-event.ts"

/** Where an event happens, under the clients' various key names. Without a folder, it is the current one. */
export function readPlace(client: ClientId, input: JsonObject): HookPlace {
  const first = (...keys: string[]) =>
    keys.map((key) => textOf(firstOf(input[key]))).find((value) => value !== undefined)
  return {
    client,
    session: first("session_id", "sessionId", "conversation_id", "trajectory_id", "taskId", "session"),
    cwd: first("cwd", "workspace_roots", "workspaceRoots") ?? process.cwd(),
    transcript: first("transcript_path", "transcriptPath"),
    agent: first("agent_type", "agentType", "agentName", "agent_name", "agent"),
    agentId: first("agent_id", "agentId"),
  }
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value
}
