import { existsSync, statSync } from "node:fs"
import { DreyError } from "../../errors.ts"
import type { Check } from "../../squad/doctor/check.ts"
import { loginPath } from "./login-file.ts"
import type { TeamStatus } from "./read-team-status.ts"

/** Examines the login of a user who belongs to a team, by what this machine knows; of others there is nothing to say. */
export async function checkTeam(home: string, readStatus: () => Promise<TeamStatus>): Promise<Check[]> {
  const path = loginPath(home)
  if (!existsSync(path)) return []
  const name = "team"
  try {
    const status = await readStatus()
    if (status.kind === "signed out") return []
    const { problem } = status
    const problems = [
      ...(isOpenToOthers(path) ? [`Others on this machine can read your token: chmod 600 ${path}`] : []),
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
    syncedAt === null ? "It has not gone well with its server yet" : `Last synced ${syncedAt}`,
    ...(events > 0 ? [`Not sent yet: ${events}`] : []),
    ...(setAside > 0 ? [`The server fails again and again over: ${setAside}`] : []),
    ...(droppedUses > 0 ? [`Dropped, as this token may not tell of them: ${droppedUses}`] : []),
  ]
}

/** Windows keeps who may read a file in another way. */
function isOpenToOthers(path: string): boolean {
  return process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0
}
