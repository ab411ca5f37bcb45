import { claudeCode } from "./claude-code.ts"
import type { Client } from "./client.ts"
import { cline } from "./cline.ts"
import { codex } from "./codex.ts"
import { copilotCli } from "./copilot-cli.ts"
import { cursor } from "./cursor.ts"
import { geminiCli } from "./gemini-cli.ts"
import { opencode } from "./opencode.ts"
import { vscodeCopilot } from "./vscode-copilot.ts"
import { windsurf } from "./windsurf.ts"

/** Every coding agent whose transcripts Drey reads. */
export const allClients: readonly Client[] = [
  claudeCode,
  codex,
  geminiCli,
  copilotCli,
  opencode,
  cursor,
  vscodeCopilot,
  cline,
  windsurf,
]
