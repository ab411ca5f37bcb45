import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { print } from "../print.ts"
import { agentOf, collect, type SessionOptions, sessionOf, sessionSubcommand } from "../session-face.ts"
import { sessionGraduationText } from "../show-session-graduation.ts"

type Options = SessionOptions & { yes?: boolean; only?: string[] }

export function sessionGraduateCommand(): Command {
  return sessionSubcommand(
    "graduate",
    "Show which findings of a session are worth keeping, and keep them with --yes: verified findings as memories on trial, important decisions as proposals in the inbox, lessons in the agent's history. Running it again adds nothing.",
    "drey session graduate 20260214-0915\ndrey session graduate 20260214-0915 --only developer/attempt-001",
  )
    .argument("[id]", "the session, instead of --session")
    .option("-y, --yes", "keep all of it")
    .option("--only <id>", "keep only this entry, by id or agent/id; repeatable", collect)
    .action(graduate)
}

async function graduate(id: string | undefined, options: Options): Promise<void> {
  if (options.yes && options.only) throw new DreyError("--yes and --only cannot be combined")
  const drey = openDrey(options)
  const session = id ?? sessionOf(options)
  const asked = await drey.sessions.graduate(session, { mode: "ask" })
  const agent = agentOf(options)
  const proposals = asked.proposals.filter((each) => agent === undefined || each.id.startsWith(`${agent}/`))
  const own = (entry: string) => (agent === undefined || entry.includes("/") ? entry : `${agent}/${entry}`)
  const chosen = options.yes ? proposals.map((each) => each.id) : options.only?.map(own)
  const graduation =
    chosen === undefined ? { ...asked, proposals } : await drey.sessions.graduate(asked.session, { chosen })
  await drey.close()
  print(
    options,
    () => graduation,
    () => {
      const lines = sessionGraduationText(graduation)
      return lines.length === 0 ? `Nothing else in ${graduation.session} is worth keeping.` : lines.join("\n")
    },
  )
  if (chosen !== undefined && graduation.refused.length > 0) process.exitCode = exitCode.no
}
