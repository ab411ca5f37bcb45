import type { Command } from "commander"
import { commandGroup } from "../command.ts"
import { sessionArbiterCommand } from "./session-arbiter.ts"
import { sessionArchiveCommand } from "./session-archive.ts"
import { sessionAttemptCommand } from "./session-attempt.ts"
import { sessionCleanupCommand } from "./session-cleanup.ts"
import { sessionContextCommand } from "./session-context.ts"
import { sessionDecideCommand } from "./session-decide.ts"
import { sessionDiscoverCommand } from "./session-discover.ts"
import { sessionEndCommand } from "./session-end.ts"
import { sessionExportCommand } from "./session-export.ts"
import { sessionGraduateCommand } from "./session-graduate.ts"
import { sessionListCommand } from "./session-list.ts"
import { sessionPlanCommand } from "./session-plan.ts"
import { sessionPromptCommand } from "./session-prompt.ts"
import { sessionSayCommand } from "./session-say.ts"
import { sessionShowCommand } from "./session-show.ts"
import { sessionStartCommand } from "./session-start.ts"
import { sessionValidateCommand } from "./session-validate.ts"

export function sessionCommand(): Command {
  const session = commandGroup(
    "session",
    "Manage a session's working memory: what its agents discovered, tried and decided, so that no agent repeats another's failure.",
    'export DREY_SESSION=$(drey session start "Send the monthly report as PDF" --agent developer)\ndrey session attempt start "Render the PDF in Chromium"',
  )
  for (const subcommand of [
    sessionStartCommand(),
    sessionDiscoverCommand(),
    sessionAttemptCommand(),
    sessionDecideCommand(),
    sessionContextCommand(),
    sessionPlanCommand(),
    sessionSayCommand(),
    sessionPromptCommand(),
    sessionArbiterCommand(),
    sessionShowCommand(),
    sessionListCommand(),
    sessionValidateCommand(),
    sessionArchiveCommand(),
    sessionEndCommand(),
    sessionGraduateCommand(),
    sessionExportCommand(),
    sessionCleanupCommand(),
  ]) {
    session.addCommand(subcommand)
  }
  return session
}
