import { DreyError, exitCode } from "../../errors.ts"
import { type Login, readLogin, writeLogin } from "./login-file.ts"
import { errorOf } from "./problem-of.ts"
import { serverAddress } from "./server-address.ts"
import { loginOf, namesOf } from "./sync-team.ts"
import { teamServer } from "./team-server.ts"

export type LoginRequest = {
  server: string
  token: string
  /** Allows an address that is not encrypted. */
  insecure?: boolean | undefined
}

/** Finds out who the token belongs to, and keeps it where only this user can read it. */
export async function signIn(
  home: string,
  { server: given, token: text, insecure = false }: LoginRequest,
): Promise<Login> {
  const server = serverAddress(given, { insecure })
  const token = text.trim()
  if (!/^[\x21-\x7e]{8,500}$/.test(token))
    throw new DreyError("That is no token", { hint: "A token is one word, as the team's app shows it once." })
  const asked = teamServer({ server, token })
  const me = await asked.me()
  if (me.kind === "refused" && me.status === 401)
    throw new DreyError(`${server} does not know this token`, {
      hint: "It may have expired, or be another server's; the team's app makes a new one.",
      exitCode: exitCode.no,
    })
  if (me.kind !== "answered") throw errorOf(me, server)
  requireSameMember(home, server, me.value.member.id)
  const login = loginOf(me.value, { server, token, teams: namesOf(await asked.teams(), {}) })
  writeLogin(home, login)
  return login
}

/** What one member may see is not for another: who signs in as somebody else leaves first. */
function requireSameMember(home: string, server: string, member: string): void {
  const before = readLogin(home)
  if (!before || (before.server === server && before.member.id === member)) return
  throw new DreyError(
    `You are signed in as ${before.member.name} of ${before.organisation.name} at ${before.server}, and this token is another's`,
    { hint: "Leave that team first; what is your own stays.", exitCode: exitCode.no },
  )
}
