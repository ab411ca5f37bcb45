import { existsSync, statSync } from "node:fs"
import { z } from "zod"
import { makeFolder, removeFileDurable, writeFileAtomic } from "../../disk/atomic-write.ts"
import { loginPath, makePrivate } from "../../disk/home-files.ts"
import { parseJson } from "../../disk/json.ts"
import { fileError, readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { role, type TeamMemory } from "../api.ts"

const login = z.object({
  server: z.string(),
  organisation: z.object({ slug: z.string(), name: z.string() }),
  member: z.object({ id: z.string(), name: z.string(), role }),
  token: z.string().min(1),
  /** Team names by id, as of the last sync; shown with the copies. */
  teams: z.record(z.string(), z.string()),
})

/** The user's account on a team server. */
export type Login = z.infer<typeof login>

/** Undefined when the user has not signed in to a team. */
export function readLogin(home: string): Login | undefined {
  const path = loginPath(home)
  if (!existsSync(path)) return undefined
  const read = login.safeParse(parseJson(readTextFile(path).text, path))
  if (read.success) return read.data
  throw new DreyError(`${path} is not a valid login file`, { hint: "Sign in again: drey team login URL" })
}

export function writeLogin(home: string, login: Login): void {
  const path = loginPath(home)
  try {
    makeFolder(home, 0o700)
    const known = statSync(path, { throwIfNoEntry: false })
    if (known && (known.mode & 0o077) !== 0) makePrivate(path) // before the token is written: an existing file keeps its mode
  } catch (error) {
    throw fileError(path, error)
  }
  writeFileAtomic(path, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 })
}

export function removeLogin(home: string): void {
  removeFileDurable(loginPath(home))
}

/** Adds the audience to the contributor, `Kim (team Payments)`, so that copies show it offline too. */
export function attributed(
  memory: TeamMemory,
  { teams, organisation }: Pick<Login, "teams" | "organisation">,
): TeamMemory {
  const { owner, contributedBy } = memory
  const circle = owner.type === "team" ? `team ${teams[owner.id] ?? owner.id}` : organisation.name
  return { ...memory, contributedBy: `${contributedBy} (${circle})` }
}
