import { isRecord } from "../disk/parse-json.ts"

/** The client's own session, as far as the client tells: by the call itself, or by the environment it started the server with. */
export function sessionOf(meta: unknown, environment: NodeJS.ProcessEnv): string | undefined {
  const turn = isRecord(meta) ? meta["x-codex-turn-metadata"] : undefined
  const named = isRecord(turn) ? turn.session_id : undefined
  if (typeof named === "string" && named !== "") return named
  return environment.CLAUDE_CODE_SESSION_ID || environment.COPILOT_AGENT_SESSION_ID || undefined
}
