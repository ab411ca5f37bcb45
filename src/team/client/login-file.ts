import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { fileError } from "../../disk/file-error.ts"
import { keepOthersOut } from "../../disk/home-files.ts"
import { parseJson } from "../../disk/parse-json.ts"
import { readTextFile } from "../../disk/read-text-file.ts"
import { makeFolder, removeFileDurable, writeFileAtomic } from "../../disk/write-file-atomic.ts"
import { DreyError } from "../../errors.ts"
import { role } from "../api.ts"

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
    if (known && (known.mode & 0o077) !== 0) keepOthersOut(path) // before the token is written: an existing file keeps its mode
  } catch (error) {
    throw fileError(path, error)
  }
  writeFileAtomic(path, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 })
}

export function removeLogin(home: string): void {
  removeFileDurable(loginPath(home))
}

export function loginPath(home: string): string {
  return join(home, "team.json")
}
