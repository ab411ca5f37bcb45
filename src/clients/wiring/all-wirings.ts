import type { Wiring } from "../wiring.ts"
import { claudeCodeWiring } from "./claude-code.ts"
import { clineWiring } from "./cline.ts"
import { codexWiring } from "./codex.ts"
import { copilotCliWiring } from "./copilot-cli.ts"
import { cursorWiring } from "./cursor.ts"
import { geminiCliWiring } from "./gemini-cli.ts"
import { opencodeWiring } from "./opencode.ts"
import { vscodeCopilotWiring } from "./vscode-copilot.ts"
import { windsurfWiring } from "./windsurf.ts"
import { zedWiring } from "./zed.ts"

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
]
