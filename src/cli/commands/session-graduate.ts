import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { removeInvisible } from "../../formats/text.ts"
import type { Graduate } from "../../sessions/graduation/graduate.ts"
import type { SessionGraduation } from "../../sessions/graduation/session-graduation.ts"
import { colors } from "../output.ts"
import { count, print } from "../print.ts"
import { agentOf, collect, type SessionOptions, sessionOf, sessionSubcommand } from "./session-options.ts"

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

const kept = { learned: "as a memory on trial", inbox: "as a proposal to the team", history: "in the agent's history" }

/** The findings of a session that were kept, those that were refused and why, and those still open. */
export function sessionGraduationText({ session, proposals, graduated, refused }: SessionGraduation): string[] {
  const settled = new Set([...graduated, ...refused].map(({ id }) => id))
  const open = proposals.filter(({ id }) => !settled.has(id))
  return [
    ...graduated.map(({ id, target, to, path, isNew }) => {
      const place = path ?? to
      return `${isNew ? "Kept" : "Already known:"} ${id} ${kept[target]}: ${place}`
    }),
    ...refused.map(({ id, reason }) => colors.yellow(`Not kept: ${id} (${removeInvisible(reason)})`)),
    ...(settled.size > 0 ? restLines(session, open) : openLines(session, open)),
  ]
}

function openLines(session: string, open: readonly Graduate[]): string[] {
  const [first] = open
  if (first === undefined) return []
  return [
    `${count(open.length, "finding is", "findings are")} worth keeping:`,
    ...open.flatMap(proposalLines),
    `Keep ${open.length === 1 ? "it" : "them"}: drey session graduate ${session} --yes   (some: --only ${first.id})`,
  ]
}

function restLines(session: string, open: readonly Graduate[]): string[] {
  return open.length === 0
    ? []
    : [`${count(open.length, "more is", "more are")} listed by drey session graduate ${session}`]
}

function proposalLines(graduate: Graduate): string[] {
  return [
    `  ${graduate.id}  ${colors.green(nameOf(graduate))}: ${removeInvisible(textOf(graduate))}`,
    colors.dim(`    ${removeInvisible(graduate.why)}`),
  ]
}

function nameOf(graduate: Graduate): string {
  if (graduate.target === "learned") return graduate.kind
  return graduate.target === "inbox" ? "decision" : `note for ${removeInvisible(graduate.agent)}`
}

function textOf(graduate: Graduate): string {
  return graduate.target === "inbox" ? graduate.entry.title : graduate.text
}
