import { dropUnseen } from "../formats/drop-unseen.ts"
import type { SessionGraduation } from "../sessions/graduate-session.ts"
import type { Graduate } from "../sessions/graduation/graduate.ts"
import { colors } from "./colors.ts"
import { count } from "./print.ts"

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
    ...refused.map(({ id, reason }) => colors.yellow(`Not kept: ${id} (${dropUnseen(reason)})`)),
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
    `  ${graduate.id}  ${colors.green(nameOf(graduate))}: ${dropUnseen(textOf(graduate))}`,
    colors.dim(`    ${dropUnseen(graduate.why)}`),
  ]
}

function nameOf(graduate: Graduate): string {
  if (graduate.target === "learned") return graduate.kind
  return graduate.target === "inbox" ? "decision" : `note for ${dropUnseen(graduate.agent)}`
}

function textOf(graduate: Graduate): string {
  return graduate.target === "inbox" ? graduate.entry.title : graduate.text
}
