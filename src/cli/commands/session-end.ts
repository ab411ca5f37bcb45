import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { given } from "../given.ts"
import { print } from "../print.ts"
import { type SessionOptions, sessionOf, sessionSubcommand } from "../session-face.ts"
import { endText } from "../show-session.ts"
import { sessionGraduationText } from "../show-session-graduation.ts"

type Options = SessionOptions & {
  status?: "complete" | "failed" | "cancelled"
  summary?: string
  graduate: "ask" | "auto" | "off"
}

export function sessionEndCommand(): Command {
  return sessionSubcommand(
    "end",
    "End a session: open attempts are closed as partial, and findings worth keeping are proposed.",
    'drey session end --summary "The report goes out"\ndrey session end 20260214-0915 --status failed --graduate off',
  )
    .argument("[id]", "the session, instead of --session")
    .addOption(
      new Option("--status <status>", "how it went; default: complete").choices(["complete", "failed", "cancelled"]),
    )
    .option("--summary <text>", "the result")
    .addOption(
      new Option(
        "--graduate <mode>",
        "findings worth keeping: list them (ask), keep the verified ones now (auto), or skip this (off)",
      )
        .choices(["ask", "auto", "off"])
        .default("ask"),
    )
    .action(end)
}

async function end(id: string | undefined, options: Options): Promise<void> {
  const drey = openDrey(options)
  const session = await drey.sessions.open(id ?? sessionOf(options))
  const { status, summary } = options
  const metadata = await session.end(given({ status, summary }))
  const graduation = await drey.sessions.graduate(session.id, { mode: options.graduate })
  await drey.close()
  print(
    options,
    () => ({ id: session.id, metadata, graduation }),
    () => [endText(session.id, metadata), ...sessionGraduationText(graduation)].join("\n"),
  )
}
