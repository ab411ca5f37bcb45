import { parse } from "hono/utils/cookie"
import { sha256 } from "../disk/hash.ts"
import { isAtLeast, type TeamCaller } from "./identity/caller.ts"
import type { RateLimits } from "./rate-limits.ts"
import { refuse } from "./refusal.ts"
import type { TeamParts } from "./team-parts.ts"
import type { TeamRoute } from "./team-route.ts"

type Asking = { request: Request; address: string }

/** Authenticates and authorizes a request; routes with `needs: "nobody"` are public. */
export async function authenticate(
  parts: TeamParts & { limits: RateLimits },
  { method, needs, limits }: TeamRoute,
  { request, address }: Asking,
): Promise<TeamCaller | "nobody"> {
  const isUnsafe = method !== "GET"
  if (limits?.isSignIn) await parts.limits.countSignIn(address)
  if (needs === "nobody") {
    if (isUnsafe) checkOrigin(request, parts.publicUrl, { mustSay: false })
    return "nobody"
  }
  const { secret, isCookie } = secretOf(request, parts.publicUrl)
  if (secret === undefined) return refuse(401, "signed-out", "Sign in first.")
  if (isCookie && isUnsafe) checkOrigin(request, parts.publicUrl, { mustSay: true })
  // Before the database is queried: guessing secrets costs it nothing, and does not lock out known secrets at the same address.
  const isFamiliar = parts.passes.isFamiliar(secret)
  if (!isFamiliar) await parts.limits.countTry(address)
  await parts.limits.countRequest(sha256(secret))
  const found = await parts.passes.callerOf(secret)
  if (found.kind === "unknown")
    return refuse(401, "signed-out", isCookie ? "Sign in again." : "This token is not valid.")
  if (!isFamiliar) await parts.limits.takeBackTry(address)
  if (found.kind === "ended")
    return refuse(401, isCookie ? "signed-out" : `token-${found.how}`, ended(found.how, isCookie))
  const { caller } = found
  if (!caller.scopes.includes(needs.scope) || !isAtLeast(caller.member.role, needs.role))
    return refuse(403, "not-allowed", whyNot(caller, needs))
  return caller
}

/** Browsers send `__Host-` cookies only over TLS; a server without TLS runs on this machine. */
export function cookieNameOf(publicUrl: string): string {
  return publicUrl.startsWith("https:") ? "__Host-drey" : "drey-team"
}

/** The caller's secret: a token in the header, otherwise a browser's cookie. */
export function secretOf(request: Request, publicUrl: string): { secret: string | undefined; isCookie: boolean } {
  const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1]
  if (bearer !== undefined) return { secret: bearer.startsWith("drey_pat_") ? bearer : "", isCookie: false }
  const name = cookieNameOf(publicUrl)
  const cookie = parse(request.headers.get("cookie") ?? "", name)[name]
  return { secret: cookie?.startsWith("drey_in_") ? cookie : undefined, isCookie: true }
}

/** CSRF protection: with a cookie, only the app's own pages may make changes. */
function checkOrigin(request: Request, publicUrl: string, { mustSay }: { mustSay: boolean }): void {
  const origin = request.headers.get("origin")
  const site = request.headers.get("sec-fetch-site")
  if (origin === null && site === null && !mustSay) return // not a browser
  const isOwn = origin === null ? site === "same-origin" : isSameOrigin(origin, new URL(publicUrl))
  if (!isOwn) refuse(403, "foreign-origin", "Requests from this origin are not served.")
}

/** Treats all loopback names as the same host. */
function isSameOrigin(origin: string, own: URL): boolean {
  if (origin === own.origin) return true
  const names = ["localhost", "127.0.0.1", "[::1]"]
  return names.includes(own.hostname) && names.some((name) => origin === `${own.protocol}//${name}:${own.port}`)
}

function ended(how: "expired" | "revoked", isCookie: boolean): string {
  if (isCookie) return "Sign in again."
  return how === "expired" ? "This token has expired." : "This token was revoked."
}

function whyNot({ member }: TeamCaller, needs: Exclude<TeamRoute["needs"], "nobody">): string {
  return isAtLeast(member.role, needs.role)
    ? `This token lacks the scope "${needs.scope}".`
    : `This requires the role ${needs.role}; yours is ${member.role}.`
}

export function isLoopback(address: string): boolean {
  return address === "::1" || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(address)
}
