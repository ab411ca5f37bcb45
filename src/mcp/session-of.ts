import { isRecord } from "../disk/parse-json.ts"

/** The client's session id, from the call's metadata or the server's environment. */
export function sessionOf(meta: unknown, environment: NodeJS.ProcessEnv): string | undefined {
  const turn = isRecord(meta) ? meta["x-codex-turn-metadata"] : undefined
  const named = isRecord(turn) ? turn.session_id : undefined
  if (typeof named === "string" && named !== "") return named
  return environment.CLAUDE_CODE_SESSION_ID || environment.COPILOT_AGENT_SESSION_ID || undefined
}
