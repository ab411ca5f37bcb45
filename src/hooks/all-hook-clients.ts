import { objectOf, textOf } from "../clients/json-value.ts"
import { claudeCode } from "./clients/claude-code.ts"
import { cline } from "./clients/cline.ts"
import { codex } from "./clients/codex.ts"
import { copilotCli } from "./clients/copilot-cli.ts"
import { cursor } from "./clients/cursor.ts"
import { geminiCli } from "./clients/gemini-cli.ts"
import { opencode } from "./clients/opencode.ts"
import { vscodeCopilot } from "./clients/vscode-copilot.ts"
import { windsurf } from "./clients/windsurf.ts"
import type { HookClient } from "./hook-event.ts"

export const allHookClients: readonly HookClient[] = [
  claudeCode,
  codex,
  geminiCli,
  copilotCli,
  vscodeCopilot,
  cursor,
  windsurf,
  cline,
  opencode,
]

/**
 * The client that sent an event, and the event's name there. VS Code also runs hooks meant for others, in its own
 * format.
 */
export function speakerOf(
  name: string,
  event: string,
  input: unknown,
): { client: HookClient; event: string } | undefined {
  const client = allHookClients.find(({ id }) => id === name)
  const ownName = textOf(objectOf(input)?.hookEventName)
  const isLent = client === claudeCode || client === copilotCli
  if (isLent && ownName !== undefined) return { client: vscodeCopilot, event: ownName }
  return client && { client, event }
}
