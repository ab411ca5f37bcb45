import { createHmac, timingSafeEqual } from "node:crypto"
import { parse } from "hono/utils/cookie"
import * as openid from "openid-client"
import { one, run, type Steps } from "../../memories/steps.ts"
import type { Member } from "../api.ts"
import { cookieNameOf } from "../authentication.ts"
import { HttpRefusal, refuse } from "../refusal.ts"
import { rowsOf, type TeamParts } from "../team-parts.ts"
import { wholeOf } from "./caller.ts"
import { acceptByEmail } from "./invitations.ts"
import { memberByEmail, memberById } from "./members.ts"
import { addTeamAudit } from "./team-audit.ts"
import { type SignIn, signIn } from "./tokens.ts"

export type OidcSettings = {
  issuer: string
  clientId: string
  clientSecret: string
  /** On the button: "Continue with …". */
  name: string
}

/** Sign-in through an identity provider: code flow with PKCE, state and nonce. */
export type Oidc = {
  readonly name: string
  /** Sends the browser to the provider. */
  begin(slug: string): Promise<Response>
  /** Handles the callback from the provider. */
  finish(parts: TeamParts, request: Request): Promise<Response>
}

type Pending = { slug: string; state: string; nonce: string; verifier: string }

const callbackPath = "/v1/sign-in/oidc/callback"

export type OidcOptions = OidcSettings & { publicUrl: string; now: () => Date }

/** Discovery happens at the first sign-in, so that the server starts even if the provider is unavailable. */
export function openOidc({ issuer, clientId, clientSecret, name, publicUrl, now }: OidcOptions): Oidc {
  const redirect = `${publicUrl}${callbackPath}`
  const cookies = openSealedCookie<Pending>("drey-oidc", { key: clientSecret, publicUrl, path: callbackPath, now })
  let found: Promise<openid.Configuration> | undefined
  const configuration = () => {
    found ??= discover({ issuer, clientId, clientSecret }).catch((error) => {
      found = undefined
      throw error
    })
    return found
  }
  return {
    name,
    async begin(slug) {
      const config = await configuration()
      const pending = {
        slug,
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
      }
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirect,
        scope: "openid email profile",
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: "S256",
      })
      return redirectTo(url.href, [cookies.seal(pending)])
    },
    async finish(parts, request) {
      const pending = cookies.unseal(request)
      try {
        if (!pending)
          return refuse(401, "sign-in-expired", "The sign-in expired or was started in another browser. Try again.")
        const person = await personOf(await configuration(), request, pending, redirect)
        const { cookie, expires } = await rowsOf(parts, wholeOf(pending.slug)).write(() =>
          letIn(pending.slug, person, parts.now()),
        )
        parts.passes.forget(pending.slug)
        await parts.jobs.send("tidy", { slug: pending.slug })
        const secure = publicUrl.startsWith("https:") ? "; Secure" : ""
        const session = `${cookieNameOf(publicUrl)}=${cookie}; Path=/; HttpOnly; SameSite=Strict; Expires=${expires.toUTCString()}${secure}`
        return redirectTo(`${publicUrl}/`, [session, cookies.drop()])
      } catch (error) {
        if (!(error instanceof HttpRefusal)) throw error
        const problem = new URLSearchParams({ org: pending?.slug ?? "", problem: error.problem.code })
        return redirectTo(`${publicUrl}/sign-in?${problem}`, [cookies.drop()])
      }
    },
  }
}

function discover({ issuer, clientId, clientSecret }: Omit<OidcSettings, "name">): Promise<openid.Configuration> {
  const url = new URL(issuer)
  // Plain HTTP only on loopback.
  const insecure = url.protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)
  const options = { timeout: 10, ...(insecure ? { execute: [openid.allowInsecureRequests] } : {}) }
  return openid
    .discovery(url, clientId, clientSecret, undefined, options)
    .catch(() => refuse(503, "provider-away", "The identity provider cannot be reached. Try again soon."))
}

type Person = { subject: string; email: string; name: string | undefined }

/** The identity from the provider; only a verified address is accepted. */
async function personOf(
  config: openid.Configuration,
  request: Request,
  { state, nonce, verifier }: Pending,
  redirect: string,
): Promise<Person> {
  const url = new URL(redirect)
  url.search = new URL(request.url).search // behind a proxy the request's host may differ
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
  const tokens = await openid.authorizationCodeGrant(config, url, checks).catch((error) => {
    if (
      error instanceof openid.ClientError ||
      error instanceof openid.AuthorizationResponseError ||
      error instanceof openid.ResponseBodyError
    )
      return refuse(401, "provider-refused", "The identity provider rejected this sign-in.")
    throw error
  })
  const claims = tokens.claims()
  if (!claims) return refuse(401, "provider-refused", "The identity provider returned no identity.")
  const described =
    typeof claims.email === "string" ? claims : await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
  const { email, email_verified, name } = described
  if (typeof email !== "string" || email_verified !== true)
    return refuse(403, "email-unverified", "The identity provider has not verified your email address.")
  return {
    subject: `${claims.iss} ${claims.sub}`,
    email,
    name: typeof name === "string" ? name.slice(0, 100) : undefined,
  }
}

/** Finds the member by subject, otherwise by address (binding the subject to it), otherwise by invitation. */
function* letIn(slug: string, person: Person, now: Date): Steps<SignIn> {
  const member =
    (yield* knownMember(person, now.toISOString())) ?? (yield* acceptByEmail(slug, person, now.toISOString()))
  if (!member) return refuse(403, "not-a-member", "No member or invitation has this email address.")
  return yield* signIn({ slug, member }, now)
}

function* knownMember({ subject, email }: Person, now: string): Steps<Member | undefined> {
  const bound = yield* one<{ id: string }>("SELECT member_id AS id FROM members WHERE subject = ?", subject)
  if (bound) return yield* memberById(bound.id)
  const member = yield* memberByEmail(email)
  if (!member) return undefined
  const claimed = yield* run(
    "UPDATE members SET subject = ? WHERE member_id = ? AND subject IS NULL",
    subject,
    member.id,
  )
  if (claimed === 0) return refuse(403, "not-a-member", "This email address is bound to another account.")
  yield* addTeamAudit({ actor: member.name, action: "identity bound", subject: member.id }, now)
  return member
}

function redirectTo(url: string, cookies: readonly string[]): Response {
  const headers = new Headers({ Location: url, "Cache-Control": "no-store" })
  for (const cookie of cookies) headers.append("Set-Cookie", cookie)
  return new Response(null, { status: 302, headers })
}

/** A signed cookie; servers with the same key can read it. */
export type SealedCookie<Value> = {
  seal(value: Value): string
  unseal(request: Request): Value | undefined
  drop(): string
}

export type SealOptions = { key: string; publicUrl: string; path: string; now: () => Date }

const goodForSeconds = 600

/** SameSite=Lax, because the browser returns with it from the provider's site. */
function openSealedCookie<Value>(name: string, { key, publicUrl, path, now }: SealOptions): SealedCookie<Value> {
  const attributes = `Path=${path}; HttpOnly; SameSite=Lax${publicUrl.startsWith("https:") ? "; Secure" : ""}`
  const sign = (text: string) => createHmac("sha256", `drey cookie\n${key}`).update(`${name}\n${text}`).digest()
  return {
    seal(value) {
      const until = now().getTime() + goodForSeconds * 1000
      const text = Buffer.from(JSON.stringify({ value, until })).toString("base64url")
      return `${name}=${text}.${sign(text).toString("base64url")}; ${attributes}; Max-Age=${goodForSeconds}`
    },
    unseal(request) {
      const [text = "", seal = ""] = (parse(request.headers.get("cookie") ?? "", name)[name] ?? "").split(".")
      const shown = Buffer.from(seal, "base64url")
      const right = sign(text)
      if (shown.length !== right.length || !timingSafeEqual(shown, right)) return undefined
      const { value, until }: { value: Value; until: number } = JSON.parse(Buffer.from(text, "base64url").toString())
      return until > now().getTime() ? value : undefined
    },
    drop: () => `${name}=; ${attributes}; Max-Age=0`,
  }
}
