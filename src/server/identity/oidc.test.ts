import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Provider } from "oidc-provider"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findPostgres } from "../../../scripts/postgres/find-postgres.ts"
import { publicUrl, startTestServer, type TestMember, type TestServer } from "../test-team-server.ts"

/** The identity that the provider returns, by the login typed into its page. */
const people: Record<string, { email: string; email_verified: boolean; name: string }> = {
  kim: { email: "Kim@acme.test", email_verified: true, name: "Kim Provider" },
  impostor: { email: "kim@acme.test", email_verified: true, name: "Not Kim" },
  mallory: { email: "mallory@evil.test", email_verified: true, name: "Mallory" },
  unverified: { email: "invited@acme.test", email_verified: false, name: "Anybody" },
  invited: { email: "invited@acme.test", email_verified: true, name: "Invited" },
}

describe.skipIf(findPostgres() === undefined)(
  "sign-in through a provider (needs a PostgreSQL server installed)",
  () => {
    let provider: { issuer: string; http: Server }
    let server: TestServer
    let owner: TestMember
    let earlierLink: string
    beforeAll(async () => {
      provider = await startProvider()
      const oidc = { issuer: provider.issuer, clientId: "drey", clientSecret: "a-secret-of-the-test", name: "Test" }
      server = await startTestServer({ oidc })
      owner = await server.organisation("acme")
      await owner.invite("Kim", "member")
      const earlier = await owner.ask("POST", "/v1/invitations", { email: "invited@acme.test", role: "admin" })
      earlierLink = earlier.body.link.split("#")[1]
      server.pass(1000)
      await owner.ask("POST", "/v1/invitations", { email: "invited@acme.test", role: "viewer" })
    })
    afterAll(async () => {
      await server?.close()
      provider?.http.close()
    })

    const ask = (path: string, cookies = "") =>
      server.app.request(path.startsWith("http") ? path : `${publicUrl}${path}`, { headers: { cookie: cookies } })

    /** Goes through the provider's pages as a browser does; where it is sent at the end, and with which cookies. */
    const signIn = async (login: string, change: (url: URL) => void = () => {}) => {
      const began = await ask("/v1/sign-in/oidc?org=acme")
      const pending = cookiesOf(began)
      const back = new URL(await throughProvider(began.headers.get("location") ?? "", login))
      change(back)
      const ended = await ask(back.href, pending)
      return { status: ended.status, location: ended.headers.get("location") ?? "", cookies: cookiesOf(ended) }
    }

    test("a member is recognised by the address that the provider has verified, and from then on by their account", async () => {
      const { location, cookies } = await signIn("kim")
      expect(location).toBe(`${publicUrl}/`)
      const me = await (await ask("/v1/me", cookies)).json()
      expect(me).toMatchObject({ organisation: { slug: "acme" }, member: { name: "Kim", role: "member" } })
      people.kim = { email: "kim.new@acme.test", email_verified: true, name: "Kim" }
      expect((await signIn("kim")).location).toBe(`${publicUrl}/`)
      expect((await signIn("impostor")).location).toContain("problem=not-a-member")
    })

    test("a non-member cannot sign in", async () => {
      const { location, cookies } = await signIn("mallory")
      expect(location).toBe(`${publicUrl}/sign-in?org=acme&problem=not-a-member`)
      expect(cookies).not.toContain("drey-team")
    })

    test("an unverified address does not count; a verified one accepts its invitation, and ends the others", async () => {
      expect((await signIn("unverified")).location).toContain("problem=email-unverified")
      const { cookies } = await signIn("invited")
      expect(await (await ask("/v1/me", cookies)).json()).toMatchObject({ member: { role: "viewer", name: "Invited" } })
      expect((await owner.ask("GET", "/v1/invitations")).body.invitations).toEqual([])
      const other = await owner.ask("POST", "/v1/sign-in/link", { token: earlierLink })
      expect(other).toMatchObject({ status: 409, body: { code: "already-member" } })
    })

    test("a callback that this browser did not request is refused", async () => {
      expect((await signIn("kim", (url) => url.searchParams.set("state", "forged"))).location).toContain(
        "problem=provider-refused",
      )
      expect((await signIn("kim", (url) => url.searchParams.set("code", "forged"))).location).toContain(
        "problem=provider-refused",
      )
      const replayed = await ask("/v1/sign-in/oidc/callback?code=x&state=y", "drey-oidc=forged.forged")
      expect(replayed.headers.get("location")).toContain("problem=sign-in-expired")
    })

    test("an unavailable provider affects only those who sign in with it", async () => {
      const oidc = { issuer: "http://127.0.0.1:1", clientId: "drey", clientSecret: "secret", name: "Away" }
      const other = await startTestServer({ driver: server.driver, oidc })
      const began = await other.app.request(`${publicUrl}/v1/sign-in/oidc?org=acme`)
      expect([began.status, await began.json()]).toMatchObject([503, { code: "provider-away" }])
      await other.parts.live.close()
      await other.parts.passes.close()
    })

    test("the ways to sign in are the same for an organisation that does not exist", async () => {
      const [known, unknown] = await Promise.all(["acme", "nobody"].map((org) => ask(`/v1/sign-in/methods?org=${org}`)))
      const methods = await known?.json()
      expect(methods).toEqual({ token: true, oidc: { name: "Test" } })
      expect(await unknown?.json()).toEqual(methods)
    })
  },
)

function cookiesOf(response: Response): string {
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "")
  return cookies.filter((cookie) => !cookie.endsWith("=")).join("; ")
}

async function startProvider(): Promise<{ issuer: string; http: Server }> {
  const http = createServer()
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "drey",
        client_secret: "a-secret-of-the-test",
        redirect_uris: [`${publicUrl}/v1/sign-in/oidc/callback`],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, ...people[id] }) }),
    pkce: { required: () => true },
    cookies: { keys: ["test"] },
  })
  http.on("request", provider.callback())
  return { issuer, http }
}

/** Follows the provider's redirects and fills in its forms until it sends the browser back. */
async function throughProvider(start: string, login: string): Promise<string> {
  const jar = new Map<string, string>()
  let url = start
  let form: Record<string, string> | undefined
  for (let step = 0; step < 20; step++) {
    const response: Response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form ? { method: "POST", body: new URLSearchParams(form) } : {}),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === "") jar.delete(name)
      else jar.set(name, value)
    }
    const next = response.headers.get("location")
    if (next?.startsWith(publicUrl)) return next
    if (next) {
      url = new URL(next, url).href
      form = undefined
      continue
    }
    const page = await response.text()
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? ""
    url = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? "", url).href
    form = prompt === "login" ? { prompt, login, password: "any" } : { prompt }
  }
  throw new Error("the provider never sent the browser back")
}
