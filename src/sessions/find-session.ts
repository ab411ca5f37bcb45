import { lstatSync } from "node:fs"
import { join } from "node:path"
import { DreyError, exitCode } from "../errors.ts"
import { didYouMean } from "../formats/did-you-mean.ts"
import { isSessionId } from "../formats/session/session-id.ts"
import { withhold } from "../governance/withhold.ts"
import { sessionIds, summarizeSession } from "./list-sessions.ts"

/** The id of a session by the beginning of it; without one, of the only session that has not ended, or else of the `newest`. */
export function findSession(folder: string, beginning: string | undefined, { newest = false } = {}): string {
  if (beginning !== undefined) return findByBeginning(folder, beginning)
  const [last] = newest && sessionIds(folder, { active: true }).length === 0 ? sessionIds(folder) : []
  return last ?? findActive(folder)
}

function findByBeginning(folder: string, beginning: string): string {
  // Whatever else it holds, it must not become part of a path.
  if (!/^\d[0-9a-z-]{0,240}$/.test(beginning))
    throw new DreyError(`"${withhold(beginning)}" is not a session id`, {
      hint: "Example: 20260123-103000-abc1def2-auth-feature; a unique prefix is enough.",
    })
  const isThere = isSessionId(beginning) && lstatSync(join(folder, beginning), { throwIfNoEntry: false })?.isDirectory()
  if (isThere) return beginning // without a look at the others, of which there may be thousands
  const found = sessionIds(folder).filter((id) => id.startsWith(beginning))
  const [only, other] = found
  if (only !== undefined && other === undefined) return only
  if (only !== undefined)
    throw new DreyError(`${found.length} sessions begin with ${beginning}`, { hint: `Such as ${only} and ${other}.` })
  const isWhole = isSessionId(beginning)
  if (isWhole && lstatSync(join(folder, beginning), { throwIfNoEntry: false })?.isSymbolicLink())
    throw new DreyError(`${join(folder, beginning)} is a symbolic link, which Drey does not follow`, {
      exitCode: exitCode.no,
    })
  const meant = didYouMean(beginning, sessionIds(folder))
  throw new DreyError(`There is no session ${isWhole ? beginning : `that begins with ${beginning}`} in ${folder}`, {
    hint: meant === undefined ? "Run `drey session list` to see all sessions." : `Did you mean ${meant}?`,
    exitCode: exitCode.no,
  })
}

function findActive(folder: string): string {
  const active: string[] = []
  for (const id of sessionIds(folder, { active: true })) {
    const session = summarizeSession(join(folder, id), id)
    if (session.kind === "readable" && session.metadata.status === "active") active.push(id)
    if (active.length > 1) break // two are too many already
  }
  const [only, other] = active
  if (only === undefined)
    throw new DreyError(`No session is active in ${folder}`, {
      hint: 'Start one with drey session start "TASK", or name one with --session ID.',
      exitCode: exitCode.no,
    })
  if (other !== undefined)
    throw new DreyError("Several sessions are active", {
      hint: `Name one with --session ID: ${only}, ${other} or another from drey session list --active.`,
    })
  return only
}
