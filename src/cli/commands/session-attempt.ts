import type { Command } from "commander"
import { commandGroup } from "../command.ts"
import { sessionAttemptFinishCommand } from "./session-attempt-finish.ts"
import { sessionAttemptStartCommand } from "./session-attempt-start.ts"
import { sessionAttemptUpdateCommand } from "./session-attempt-update.ts"

export function sessionAttemptCommand(): Command {
  return commandGroup(
    "attempt",
    "Record what an agent tries: at the start, on progress, and at the end.",
    'id=$(drey session attempt start "Render the PDF in Chromium" --step 2)\ndrey session attempt finish $id --result failure --error "Chromium is not in the image"',
  )
    .addCommand(sessionAttemptStartCommand())
    .addCommand(sessionAttemptUpdateCommand())
    .addCommand(sessionAttemptFinishCommand())
}
