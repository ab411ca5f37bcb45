import { existsSync, statSync } from "node:fs"
import { loginPath } from "../../disk/home-files.ts"
import { DreyError } from "../../errors.ts"
import type { Check } from "../../formats/check.ts"
import { type Login, readLogin } from "./login.ts"
import { readSyncState, type SyncState } from "./sync.ts"
import type { EpisodeConsent, TeamCounts, TeamLedger } from "./team-ledger.ts"

/** Checks a member's login from local files only; returns nothing for users without a team. */
export async function checkTeam(home: string, readStatus: () => Promise<TeamStatus>): Promise<Check[]> {
  const path = loginPath(home)
  if (!existsSync(path)) return []
  const name = "team"
  try {
    const status = await readStatus()
    if (status.kind === "signed out") return []
    const { problem } = status
    const problems = [
      ...(isOpenToOthers(path) ? [`Other users of this machine can read your token. Run: chmod 600 ${path}`] : []),
      ...(problem ? [[problem.message, problem.hint].filter(Boolean).join(". ")] : []),
    ]
    return [
      {
        name,
        status: problems.length > 0 ? "warn" : "pass",
        message: [...standingOf(status), ...problems].map((each) => each.replace(/\.?$/, ".")).join(" "),
      },
    ]
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return [{ name, status: "fail", message: [error.message, error.hint].filter(Boolean).join(". ") }]
  }
}

function standingOf(status: Extract<TeamStatus, { kind: "signed in" }>): string[] {
  const { organisation, member, syncedAt, waiting, setAside, droppedUses } = status
  const events = waiting.use + waiting.share + waiting.unshare
  return [
    `Signed in to ${organisation.name} as ${member.name}`,
    syncedAt === null ? "Never synced" : `Last synced ${syncedAt}`,
    ...(events > 0 ? [`Not sent yet: ${events}`] : []),
    ...(setAside > 0 ? [`Failing repeatedly on the server: ${setAside}`] : []),
    ...(droppedUses > 0 ? [`Usage events dropped because this token is read-only: ${droppedUses}`] : []),
  ]
}

/** Windows has no POSIX file modes. */
function isOpenToOthers(path: string): boolean {
  return process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0
}

export type TeamStatus =
  | { kind: "signed out" }
  | ({ kind: "signed in"; episodes: EpisodeConsent[] } & Omit<Login, "token"> &
      TeamCounts &
      Pick<SyncState, "syncedAt" | "problem" | "droppedUses">)

/** The status from local files, without the token. */
export async function readTeamStatus(home: string, ledger: TeamLedger): Promise<TeamStatus> {
  const login = readLogin(home)
  if (!login) return { kind: "signed out" }
  const { token: _, ...shown } = login
  const { syncedAt, problem, droppedUses } = readSyncState(home)
  const episodes = await ledger.consents()
  return { kind: "signed in", ...shown, ...(await ledger.counts()), episodes, syncedAt, problem, droppedUses }
}
