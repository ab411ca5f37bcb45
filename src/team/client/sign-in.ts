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

/** Looks up the token's owner and stores the token in a file that only this user can read. */
export async function signIn(
  home: string,
  { server: given, token: text, insecure = false }: LoginRequest,
): Promise<Login> {
  const server = serverAddress(given, { insecure })
  const token = text.trim()
  if (!/^[\x21-\x7e]{8,500}$/.test(token))
    throw new DreyError("Invalid token", { hint: "Paste the token exactly as shown when it was created." })
  const asked = teamServer({ server, token })
  const me = await asked.me()
  if (me.kind === "refused" && me.status === 401)
    throw new DreyError(`${server} rejected the token`, {
      hint: "It may have expired or belong to another server. Create a new one in the team's app.",
      exitCode: exitCode.no,
    })
  if (me.kind !== "answered") throw errorOf(me, server)
  requireSameMember(home, server, me.value.member.id)
  const login = loginOf(me.value, { server, token, teams: namesOf(await asked.teams(), {}) })
  writeLogin(home, login)
  return login
}

/** Members must not see each other's memories: signing in as another member requires leaving first. */
function requireSameMember(home: string, server: string, member: string): void {
  const before = readLogin(home)
  if (!before || (before.server === server && before.member.id === member)) return
  throw new DreyError(
    `You are signed in as ${before.member.name} of ${before.organisation.name} at ${before.server}; this token belongs to another account`,
    { hint: "Run drey team leave first. Your own memories stay.", exitCode: exitCode.no },
  )
}
