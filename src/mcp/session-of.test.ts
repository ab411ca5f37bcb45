import { expect, test } from "vitest"
import { sessionOf } from "./session-of.ts"

test("a call tells its session itself, or the client told it when it started the server", () => {
  const codex = { "x-codex-turn-metadata": { session_id: "s-1", turn_id: "7" } }
  expect(sessionOf(codex, { CLAUDE_CODE_SESSION_ID: "s-2" })).toBe("s-1")
  expect(sessionOf(undefined, { CLAUDE_CODE_SESSION_ID: "s-2" })).toBe("s-2")
  expect(sessionOf({}, { COPILOT_AGENT_SESSION_ID: "s-3" })).toBe("s-3")
  expect(sessionOf({ "x-codex-turn-metadata": "odd" }, {})).toBeUndefined()
  expect(sessionOf({ "x-codex-turn-metadata": { session_id: 7 } }, { CLAUDE_CODE_SESSION_ID: "" })).toBeUndefined()
})
