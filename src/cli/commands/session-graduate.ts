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
    "Show what of a session is worth keeping beyond it, and with --yes keep it: verified findings as memories on trial, decisions of weight as proposals in the inbox, lessons in the agent's history. A second time nothing is added.",
    "drey session graduate 20260214-0915\ndrey session graduate 20260214-0915 --only developer/attempt-001",
  )
    .argument("[id]", "the session, instead of --session")
    .option("-y, --yes", "keep all of it")
    .option("--only <id>", "keep this one: an entry's id, or agent/id; may be given again", collect)
    .action(graduate)
}

async function graduate(id: string | undefined, options: Options): Promise<void> {
  if (options.yes && options.only) throw new DreyError("--yes and --only cannot both be meant")
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
      return lines.length === 0 ? `Nothing more of ${graduation.session} is worth keeping.` : lines.join("\n")
    },
  )
  if (chosen !== undefined && graduation.refused.length > 0) process.exitCode = exitCode.no
}
