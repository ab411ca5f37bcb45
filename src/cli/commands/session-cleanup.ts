import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { DreyError } from "../../errors.ts"
import { parseDuration } from "../../formats/parse-duration.ts"
import { command } from "../command.ts"
import { parseCount } from "../parse-count.ts"
import { type CommonOptions, print } from "../print.ts"
import { cleanupText } from "../show-session-upkeep.ts"

type Options = CommonOptions & { olderThan: string; keep: string; yes?: boolean }

const day = 86_400_000

export function sessionCleanupCommand(): Command {
  return command(
    "cleanup",
    "List sessions that are old enough to remove, and remove them with --yes. The newest ten, failed and open sessions are kept.",
    "drey session cleanup --older-than 60d\ndrey session cleanup --keep 200 --yes",
  )
    .option("--older-than <time>", "time since the last write: 24h, 30d, 8w, 3m", "30d")
    .option(
      "--keep <number>",
      "maximum number of sessions; beyond it the oldest are removed, whatever their age",
      "1000",
    )
    .option("-y, --yes", "remove them")
    .action(cleanUp)
}

async function cleanUp(options: Options): Promise<void> {
  const age = parseDuration(options.olderThan)
  if (age === undefined)
    throw new DreyError(`"${options.olderThan}" is not a time`, { hint: "Write it as 24h, 30d, 8w or 3m." })
  const maxSessions = parseCount(options.keep, "sessions", 0, 1_000_000)
  const sessions = openDrey(options).sessions
  const remove = options.yes === true
  const cleanup = await sessions.cleanup({ maxAgeDays: age / day, maxSessions, remove })
  print(
    options,
    () => cleanup,
    () => cleanupText(cleanup, { remove }),
  )
}
