import { attributed, type Login } from "./login.ts"
import type { ServerFailure, TeamServerRequests } from "./requests.ts"
import type { CopiedPage } from "./team-copies.ts"
import type { TeamLedger } from "./team-ledger.ts"

/** The projects to pull, and the login to pull with. */
type Wanted = { projects: readonly string[]; login: Login }

export type PullResult = CopiedPage & { trouble: ServerFailure | undefined }

/** Project ids are sent in the query string, whose length is limited. */
const mostProjects = 100

/**
 * Applies the server's changes since the last pull, page by page, storing the position with each page so that a killed process resumes there.
 * A project that is new on this machine is pulled from the start, separately, until it has caught up with the others.
 */
export async function pullChanges(
  ledger: TeamLedger,
  server: TeamServerRequests,
  wanted: Wanted,
  isAgain = false,
): Promise<PullResult> {
  const { projects, login } = wanted
  const pulling: PullResult = { added: [], changed: [], removed: [], withheld: [], trouble: undefined }
  const known = await ledger.cursors()
  const reached: number[] = []
  for (const { cursor, members } of groupByCursor(["", ...projects], known)) {
    const end = await pullGroup(ledger, server, { cursor, members, login, pulling })
    if (end === "set back") return isAgain ? endless(pulling) : startAgain(ledger, server, wanted)
    if (end === undefined) return pulling
    reached.push(end)
  }
  if (new Set(reached).size > 1) await ledger.setCursors(["", ...projects], Math.min(...reached))
  return pulling
}

/** The server was restored from a backup: pull everything again. */
async function startAgain(ledger: TeamLedger, server: TeamServerRequests, wanted: Wanted): Promise<PullResult> {
  await ledger.dropCopies()
  return pullChanges(ledger, server, wanted, true)
}

function endless(pulling: PullResult): PullResult {
  return { ...pulling, trouble: { kind: "not understood", reason: "its list of changes never ends" } }
}

type Group = { cursor: number; members: string[] }

/** Groups projects by position, furthest behind first; usually one group. */
function groupByCursor(projects: readonly string[], known: ReadonlyMap<string, number>): Group[] {
  const byCursor = new Map<number, string[]>()
  for (const project of new Set(projects)) {
    const cursor = known.get(project) ?? 0
    byCursor.set(cursor, [...(byCursor.get(cursor) ?? []), project])
  }
  return [...byCursor]
    .sort(([one], [other]) => one - other)
    .flatMap(([cursor, members]) =>
      Array.from({ length: Math.ceil(members.length / mostProjects) }, (_, at) => ({
        cursor,
        members: members.slice(at * mostProjects, (at + 1) * mostProjects),
      })),
    )
}

/** The position reached; undefined if a request failed, which is recorded in `pulling`. */
async function pullGroup(
  ledger: TeamLedger,
  server: TeamServerRequests,
  { cursor, members, login, pulling }: Group & { login: Login; pulling: PullResult },
): Promise<number | "set back" | undefined> {
  const projects = members.filter((project) => project !== "")
  for (let since = cursor; ; ) {
    const answer = await server.changes(since, projects)
    if (answer.kind !== "answered") {
      pulling.trouble = answer
      return undefined
    }
    const { memories, removed, next, more } = answer.value
    if (next < since) return "set back"
    const copies = memories.map((memory) => attributed(memory, login))
    const taken = await ledger.takeIn({ memories: copies, removed, next, projects: members })
    pulling.added.push(...taken.added)
    pulling.changed.push(...taken.changed)
    pulling.removed.push(...taken.removed)
    pulling.withheld.push(...taken.withheld)
    if (!more) return next
    if (next === since) {
      pulling.trouble = endless(pulling).trouble
      return undefined
    }
    since = next
  }
}
