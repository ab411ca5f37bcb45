import { claudeCode } from "./claude-code/hooks.ts"
import { cline } from "./cline/hooks.ts"
import { codex } from "./codex/hooks.ts"
import { copilotCli } from "./copilot-cli/hooks.ts"
import { cursor } from "./cursor/hooks.ts"
import { geminiCli } from "./gemini-cli/hooks.ts"
import type { HookClient } from "./hook-event.ts"
import { objectOf, textOf } from "./json-value.ts"
import { opencode } from "./opencode/hooks.ts"
import { pi } from "./pi/hooks.ts"
import { vscodeCopilot } from "./vscode-copilot/hooks.ts"
import { windsurf } from "./windsurf/hooks.ts"

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
  pi,
]

/**
 * The client that sent an event, and the event's name there. VS Code also runs hooks meant for others, in its own
 * format.
 */
export function findHookClient(
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
