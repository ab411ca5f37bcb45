import type { Command } from "commander"
import { print } from "../print.ts"
import { openSession, type SessionOptions, sessionSubcommand } from "../session-face.ts"
import { archivingText } from "../show-session-upkeep.ts"

type Options = SessionOptions & { dryRun?: boolean }

export function sessionArchiveCommand(): Command {
  return sessionSubcommand(
    "archive",
    "Move session entries older than two hours to the archive. Open, critical and referenced entries stay. Also runs automatically when an agent writes to a file larger than 100 KB or older than four hours.",
    "drey session archive --dry-run\ndrey session archive 20260214-0915",
  )
    .argument("[id]", "the session, instead of --session")
    .option("--dry-run", "show what would move, and change nothing")
    .action(archive)
}

async function archive(id: string | undefined, options: Options): Promise<void> {
  const session = await openSession(options, id)
  const dryRun = options.dryRun === true
  const archivings = await session.archive({ dryRun })
  print(
    options,
    () => ({ session: session.id, dryRun, archivings }),
    () => archivingText(session.id, archivings, { dryRun }),
  )
}
