import { claudeCode } from "./claude-code/transcript.ts"
import { claudeCodeWiring } from "./claude-code/wiring.ts"
import type { Client, Transcript } from "./client.ts"
import type { Wiring } from "./client-wiring.ts"
import { cline } from "./cline/transcript.ts"
import { clineWiring } from "./cline/wiring.ts"
import { codex } from "./codex/transcript.ts"
import { codexWiring } from "./codex/wiring.ts"
import { copilotCli } from "./copilot-cli/transcript.ts"
import { copilotCliWiring } from "./copilot-cli/wiring.ts"
import { cursor } from "./cursor/transcript.ts"
import { cursorWiring } from "./cursor/wiring.ts"
import { droid } from "./droid/transcript.ts"
import { geminiCli } from "./gemini-cli/transcript.ts"
import { geminiCliWiring } from "./gemini-cli/wiring.ts"
import { kiro } from "./kiro/transcript.ts"
import { opencode } from "./opencode/transcript.ts"
import { opencodeWiring } from "./opencode/wiring.ts"
import { pi } from "./pi/transcript.ts"
import { piWiring } from "./pi/wiring.ts"
import { readBeginning } from "./transcripts/client-files.ts"
import { vscodeCopilot } from "./vscode-copilot/transcript.ts"
import { vscodeCopilotWiring } from "./vscode-copilot/wiring.ts"
import { windsurf } from "./windsurf/transcript.ts"
import { windsurfWiring } from "./windsurf/wiring.ts"
import { zedWiring } from "./zed/wiring.ts"

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
  pi,
  kiro,
  droid,
]

/** Every coding agent that Drey can be wired to. */
export const allWirings: readonly Wiring[] = [
  claudeCodeWiring,
  codexWiring,
  geminiCliWiring,
  copilotCliWiring,
  vscodeCopilotWiring,
  cursorWiring,
  windsurfWiring,
  opencodeWiring,
  clineWiring,
  zedWiring,
  piWiring,
]

/** The client of a transcript file, by its name and beginning; undefined if unknown or unreadable. */
export function recognizeTranscript(path: string): Transcript | undefined {
  const beginning = readBeginning(path) ?? ""
  const client = allClients.find((each) => each.recognises(path, beginning))
  return client ? { client: client.id, path } : undefined
}
