import { existsSync, statSync } from "node:fs"
import { DreyError } from "../../errors.ts"
import type { Check } from "../../squad/doctor/check.ts"
import { loginPath } from "./login-file.ts"
import type { TeamStatus } from "./read-team-status.ts"

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
