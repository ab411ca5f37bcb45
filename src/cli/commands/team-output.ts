import { handleOf } from "../../formats/ids.ts"
import { removeInvisible } from "../../formats/text.ts"
import type { ShareResult } from "../../server/client/shares.ts"
import type { TeamStatus } from "../../server/client/status.ts"
import type { SyncResult } from "../../server/client/sync.ts"
import type { SharePlan } from "../../server/client/team.ts"
import type { EpisodeConsent, TeamCounts } from "../../server/client/team-ledger.ts"
import { colors } from "../output.ts"
import { count, printNotice } from "../print.ts"

/** What was sent and received, in a line or two. */
export function syncText(syncing: SyncResult): string {
  const { uses, shared, unshared, episodes, added, changed, removed, withheld } = syncing
  const sent = [
    messagesText({ use: uses, share: shared.length, unshare: unshared.length }),
    parts([[episodes, "episode", "episodes"]]),
  ]
    .filter((each) => each !== "")
    .join(", ")
  const came = parts([
    [added.length, "new memory", "new memories"],
    [changed.length, "changed", "changed"],
    [removed.length, "gone", "gone"],
  ])
  return [
    `Sent: ${sent || "nothing new"}. Received: ${came || "nothing new"}.`,
    ...withheld.map(({ id, reason }) => colors.yellow(`${removeInvisible(id)} was not accepted: ${reason}`)),
    ...refusalLines(syncing.refused),
    ...syncing.setAside.map(({ memory, reason }) =>
      colors.yellow(`${handleOf(memory)} failed and will be retried after the others: ${removeInvisible(reason)}`),
    ),
  ].join("\n")
}

/** `3 uses, 1 share`; "" for nothing. */
export function messagesText({ use, share, unshare }: TeamCounts["waiting"]): string {
  return parts([
    [use, "use", "uses"],
    [share, "share", "shares"],
    [unshare, "withdrawal", "withdrawals"],
  ])
}

function parts(all: [number, string, string][]): string {
  return all.flatMap(([number, one, many]) => (number === 0 ? [] : [count(number, one, many)])).join(", ")
}

function refusalLines(refused: readonly { memory: string; reason: string }[]): string[] {
  return refused.map(({ memory, reason }) =>
    colors.yellow(`${handleOf(memory)} was refused: ${removeInvisible(reason)}`),
  )
}

/** Prints a problem and its fix on stderr. */
export function printTeamProblem(problem: { message: string; hint?: string | undefined } | null | undefined): void {
  if (!problem) return
  printNotice(`drey: ${removeInvisible(problem.message)}`)
  if (problem.hint !== undefined) printNotice(`  ${problem.hint}`)
}

/** Everything that would be sent, and the name it is attributed to. */
export function sharePlanText({ memories, with: audience, attributedTo, roots }: SharePlan): string {
  const lines = memories.flatMap((each) => {
    if (each.kind === "refused") return [colors.yellow(`${handleOf(each.id)} is not shared: ${each.reason}`)]
    const { sourceMemory, kind, text, project, pathPrefix, key } = each.memory
    const place =
      project === null ? "every project" : `${roots[project] ?? project}${pathPrefix === null ? "" : `, ${pathPrefix}`}`
    const facts = [kind, ...(key === null ? [] : [key]), place].map(removeInvisible).join(" · ")
    return [`${handleOf(sourceMemory)}  ${colors.dim(facts)}`, `  ${removeInvisible(text)}`]
  })
  return [
    ...lines,
    `With ${removeInvisible(audience)}, under your name: shared by ${removeInvisible(attributedTo)}.`,
  ].join("\n")
}

export function shareText({ shared, unshared, refused, waiting }: ShareResult): string {
  return [
    ...(shared.length > 0 ? [`Shared ${count(shared.length, "memory", "memories")}.${trialText(shared)}`] : []),
    ...(unshared.length > 0 ? [`Withdrew ${count(unshared.length, "memory", "memories")}.`] : []),
    ...refusalLines(refused),
    ...(waiting
      ? [
          `${count(waiting.memories.length, "memory waits", "memories wait")} for the next sync: ${removeInvisible(waiting.reason)}`,
        ]
      : []),
  ].join("\n")
}

/** The status that the server gave them. */
function trialText(shared: ShareResult["shared"]): string {
  const onTrial = shared.filter(({ status }) => status === "provisional").length
  if (onTrial === 0) return ""
  const which = onTrial < shared.length ? `${onTrial} of them are` : onTrial === 1 ? "It is" : "They are"
  return ` ${which} on trial in the team until an administrator confirms it or other members' work proves it.`
}

/** The user's and the team's consent, and the episodes sent so far. */
export function consentText({ project, root, from, isAgreed, waiting, sent, refused }: EpisodeConsent): string {
  const done = parts([
    [sent, "sent", "sent"],
    [waiting, "waiting", "waiting"],
    [refused, "refused", "refused"],
  ])
  const sides = `you agreed, from ${from} on; ${teamSide(isAgreed, project)}`
  return removeInvisible(`${root || project}: ${sides}${done === "" ? "" : `; ${done}`}`)
}

function teamSide(isAgreed: boolean | null, project: string): string {
  if (isAgreed === null) return "the team has not been asked yet"
  return isAgreed ? "the team agreed too" : `the team has not agreed yet: an administrator can enable it for ${project}`
}

export function statusText(status: TeamStatus): string {
  if (status.kind === "signed out") return "Not signed in to a team. Sign in with: drey team login URL"
  const { server, organisation, member, teams, syncedAt, waiting, setAside, copies, episodes, droppedUses, problem } =
    status
  const line = (name: string, value: string) => `${colors.dim(name.padEnd(13))}${removeInvisible(value)}`
  const unsent = messagesText(waiting)
  const names = Object.values(teams)
  return [
    line("server", server),
    line("organisation", `${organisation.name} (${organisation.slug})`),
    line("member", `${member.name}, ${member.role}`),
    ...(names.length === 0 ? [] : [line("teams", names.join(", "))]),
    line("last sync", syncedAt ?? "never"),
    line("waiting", unsent || "nothing"),
    ...(setAside === 0
      ? []
      : [line("set aside", `${setAside} of them: the server keeps failing on these, so they are retried last`)]),
    ...(droppedUses === 0
      ? []
      : [line("dropped", `${count(droppedUses, "use")}, the oldest ones: this token is not allowed to report uses`)]),
    line(
      "copies",
      copies.length === 0
        ? "none"
        : count(
            copies.reduce((sum, { memories }) => sum + memories, 0),
            "memory",
            "memories",
          ),
    ),
    ...copies.map(
      ({ project, root, memories }) =>
        `  ${String(memories).padStart(5)}  ${removeInvisible(root ?? project ?? "every project")}`,
    ),
    ...episodes.map((consent, at) => line(at === 0 ? "episodes" : "", consentText(consent))),
    ...(problem
      ? [
          colors.yellow(line("problem", problem.message)),
          ...(problem.hint === undefined ? [] : [line("", problem.hint)]),
        ]
      : []),
  ].join("\n")
}
