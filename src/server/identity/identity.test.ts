import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findPostgres } from "../../../scripts/postgres/find-postgres.ts"
import { rowsOf } from "../team-parts.ts"
import { publicUrl, startTestServer, type TestMember, type TestServer } from "../test-team-server.ts"
import { wholeOf } from "./caller.ts"
import { makeOwnerLink } from "./organisations.ts"
import { checkAudit } from "./team-audit.ts"

const day = 86_400_000

describe.skipIf(findPostgres() === undefined)("identity and permissions (needs a PostgreSQL server installed)", () => {
  let server: TestServer
  let owner: TestMember
  beforeAll(async () => {
    server = await startTestServer()
    owner = await server.organisation("acme")
  })
  afterAll(() => server?.close())

  const request = (path: string, headers: Record<string, string>, method = "GET", body?: string) =>
    server.app.request(`${publicUrl}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })

  test("a one-time link works once, and only within a week", async () => {
    const { body } = await owner.ask("POST", "/v1/invitations", { email: "kim@acme.test", role: "member", teams: [] })
    const token = body.link.split("#")[1]
    const look = await owner.ask("POST", "/v1/sign-in/link/look", { token })
    expect(look.body).toMatchObject({ organisation: { slug: "acme" }, role: "member", email: "kim@acme.test" })
    expect(await owner.ask("POST", "/v1/sign-in/link", { token, name: "Kim" })).toMatchObject({ status: 200 })
    expect(await owner.ask("POST", "/v1/sign-in/link", { token, name: "Kim" })).toMatchObject({
      status: 401,
      body: { code: "link-invalid" },
    })
    const late = await owner.ask("POST", "/v1/invitations", { email: "late@acme.test", role: "member" })
    server.pass(7.1 * day)
    const lateLink = { token: late.body.link.split("#")[1], name: "Late" }
    expect(await owner.ask("POST", "/v1/sign-in/link", lateLink)).toMatchObject({ status: 401 })
  })

  test("of several links for an address only one works, and none signs in as the same member again", async () => {
    const org = await server.organisation("links")
    const invite = async (email: string, role: string) =>
      (await org.ask("POST", "/v1/invitations", { email, role })).body.link.split("#")[1]
    const [first, second] = [await invite("kim@links.test", "member"), await invite("KIM@links.test", "admin")]
    expect(await org.ask("POST", "/v1/sign-in/link", { token: first, name: "Kim" })).toMatchObject({ status: 200 })
    const taken = await org.ask("POST", "/v1/sign-in/link", { token: second, name: "Mallory" })
    expect(taken).toMatchObject({ status: 409, body: { code: "already-member" } })
    expect(taken.headers.get("set-cookie")).toBeNull()
    expect(await org.ask("POST", "/v1/sign-in/link/look", { token: second })).toMatchObject({ status: 409 })
    expect((await org.ask("GET", "/v1/invitations")).body.invitations).toEqual([])
    const { members } = (await org.ask("GET", "/v1/members")).body
    const kim = members.find(({ email }: { email: string }) => email === "kim@links.test")
    expect(kim).toMatchObject({ name: "Kim", role: "member" })
    await org.ask("DELETE", `/v1/members/${kim.id}`)
    expect(await org.ask("POST", "/v1/sign-in/link", { token: second })).toMatchObject({ status: 401 })
  })

  test("the operator can restore a member as owner, by a link created since they joined", async () => {
    const org = await server.organisation("lost")
    const kim = await org.invite("Kim", "member")
    server.pass(1000)
    const link = { slug: "lost", email: "kim@lost.test", now: new Date(Date.parse(kim.me.member.joined) + 500) }
    const token = await makeOwnerLink(server.parts, link)
    const back = await org.ask("POST", "/v1/sign-in/link", { token })
    expect(back).toMatchObject({ status: 200, body: { member: { id: kim.me.member.id, role: "owner" } } })
  })

  test("a revoked token is refused at once, in every process", async () => {
    const second = await startTestServer({ driver: server.driver })
    const token = await owner.withToken(["read"])
    const headers = { authorization: `Bearer ${token.secret}` }
    expect((await second.app.request(`${publicUrl}/v1/me`, { headers })).status).toBe(200)
    const { body } = await owner.ask("GET", "/v1/tokens")
    const id = body.tokens.find(({ hint }: { hint: string }) => token.secret.startsWith(hint)).id
    expect(await owner.ask("DELETE", `/v1/tokens/${id}`)).toMatchObject({ status: 204 })
    expect(await token.ask("GET", "/v1/me")).toMatchObject({ status: 401, body: { code: "token-revoked" } })
    await expect
      .poll(async () => (await second.app.request(`${publicUrl}/v1/me`, { headers })).status, { timeout: 2000 })
      .toBe(401)
    await second.parts.live.close()
    await second.parts.passes.close()
  })

  test("an expired token is refused with that reason", async () => {
    const kim = await owner.invite("Expiring", "member")
    const token = await kim.withToken(["read"], 1)
    expect(await token.ask("GET", "/v1/me")).toMatchObject({ status: 200 })
    server.pass(1.1 * day)
    expect(await token.ask("GET", "/v1/me")).toMatchObject({ status: 401, body: { code: "token-expired" } })
    const forged = `${token.secret.slice(0, -2)}${token.secret.endsWith("AA") ? "BB" : "AA"}`
    const response = await request("/v1/me", { authorization: `Bearer ${forged}` })
    expect(await response.json()).toMatchObject({ code: "signed-out" })
  })

  test("a token can do what its scopes and its owner's role allow", async () => {
    const kim = await owner.invite("Scoped", "admin")
    const [reader, admin] = [await kim.withToken(["read"]), await kim.withToken(["read", "admin"])]
    expect(await reader.ask("POST", "/v1/teams", { name: "No" })).toMatchObject({
      status: 403,
      body: { code: "not-allowed" },
    })
    expect(await reader.ask("POST", "/v1/tokens", { name: "more" })).toMatchObject({ status: 403 })
    expect(await admin.ask("POST", "/v1/teams", { name: "Yes" })).toMatchObject({ status: 201 })
    await owner.ask("PATCH", `/v1/members/${kim.me.member.id}`, { role: "viewer" })
    expect(await admin.ask("POST", "/v1/teams", { name: "No longer" })).toMatchObject({ status: 403 })
    expect(await kim.ask("POST", "/v1/tokens", { name: "w", scopes: ["write"] })).toMatchObject({
      status: 403,
      body: { code: "scope-too-wide" },
    })
  })

  test("a browser that signed in with a token has the same rights, and is signed out with it", async () => {
    const token = await owner.withToken(["read"])
    const response = await request(
      "/v1/sign-in/token",
      { "content-type": "application/json" },
      "POST",
      JSON.stringify({ token: token.secret }),
    )
    const setCookie = response.headers.get("set-cookie") ?? ""
    expect(setCookie).toMatch(/^drey-team=.*; Path=\/; Expires=.*; HttpOnly; SameSite=Strict$/)
    const headers = { cookie: setCookie.split(";")[0] ?? "", origin: publicUrl, "content-type": "application/json" }
    expect((await request("/v1/teams", headers, "POST", JSON.stringify({ name: "No" }))).status).toBe(403)
    const longer = await request("/v1/tokens", headers, "POST", JSON.stringify({ name: "longer", days: 366 }))
    expect([longer.status, await longer.json()]).toMatchObject([403, { code: "sign-in-needed" }])
    const { body } = await owner.ask("GET", "/v1/tokens")
    const id = body.tokens.find(({ hint }: { hint: string }) => token.secret.startsWith(hint)).id
    await owner.ask("DELETE", `/v1/tokens/${id}`)
    expect((await request("/v1/me", headers)).status).toBe(401)
  })

  test("a cookie sent from another site's page changes nothing", async () => {
    const cookie = `drey-team=${owner.secret}`
    const json = { "content-type": "application/json" }
    const body = JSON.stringify({ name: "Planted" })
    const foreign = await request("/v1/teams", { ...json, cookie, origin: "https://evil.example" }, "POST", body)
    expect([foreign.status, await foreign.json()]).toMatchObject([403, { code: "foreign-origin" }])
    expect((await request("/v1/teams", { ...json, cookie }, "POST", body)).status).toBe(403)
    expect(
      (await request("/v1/teams", { ...json, cookie, origin: "http://localhost:4848" }, "POST", body)).status,
    ).toBe(201)
    expect((await request("/v1/sign-in/token", { ...json, origin: "https://evil.example" }, "POST", "{}")).status).toBe(
      403,
    )
  })

  test("the last owner stays, and only owners can add owners", async () => {
    const org = await server.organisation("owners")
    const admin = await org.invite("Ada", "admin")
    const id = org.me.member.id
    expect(await org.ask("DELETE", `/v1/members/${id}`)).toMatchObject({ status: 409, body: { code: "last-owner" } })
    expect(await org.ask("PATCH", `/v1/members/${id}`, { role: "member" })).toMatchObject({ status: 409 })
    expect(await admin.ask("PATCH", `/v1/members/${id}`, { role: "member" })).toMatchObject({ status: 403 })
    expect(await admin.ask("PATCH", `/v1/members/${admin.me.member.id}`, { role: "owner" })).toMatchObject({
      status: 403,
    })
    expect(await admin.ask("POST", "/v1/invitations", { email: "x@y.test", role: "owner" })).toMatchObject({
      status: 403,
    })
    await org.ask("PATCH", `/v1/members/${admin.me.member.id}`, { role: "owner" })
    expect(await org.ask("DELETE", `/v1/members/${id}`)).toMatchObject({ status: 204 })
    expect(await org.ask("GET", "/v1/me")).toMatchObject({ status: 401 })
  })

  test("signing out ends the session", async () => {
    const kim = await owner.invite("Leaving", "viewer")
    const out = await kim.ask("POST", "/v1/sign-out")
    expect(out.headers.get("set-cookie")).toMatch(/^drey-team=; Max-Age=0/)
    expect(await kim.ask("GET", "/v1/me")).toMatchObject({ status: 401 })
  })

  test("every action is in the audit, in a chain that reveals a changed line", async () => {
    const org = await server.organisation("audited")
    await org.ask("POST", "/v1/teams", { name: "Payments" })
    await org.ask("PATCH", "/v1/org", { name: "Audited Ltd." })
    const { body } = await org.ask("GET", "/v1/audit?limit=2")
    expect(body.records).toMatchObject([{ action: "organisation renamed" }, { action: "team made" }])
    const older = await org.ask("GET", `/v1/audit?after=${body.next}`)
    expect(older.body).toMatchObject({
      records: [{ action: "signed in" }, { action: "joined as owner" }, {}, {}],
      next: null,
    })
    const rows = rowsOf(server.parts, wholeOf("audited"))
    const check = () => rows.read(() => checkAudit([server.parts.auditKey], []))
    expect(await check()).toMatchObject({ kind: "intact", keyedFrom: 1, head: { seq: 6 } })
    await server.driver.within(wholeOf("audited"), "write", (ask) =>
      ask("UPDATE team_audit SET actor = 'nobody' WHERE seq = 3"),
    )
    expect(await check()).toEqual({ kind: "changed", line: 3 })
  })

  test("the response is the same for a token of no organisation, an unknown id, and nonsense", async () => {
    const unknown = [
      owner.secret.replace("drey_in_acme", "drey_pat_acme"),
      `drey_pat_nobody_0000000000000000_${"A".repeat(43)}`,
      "nonsense",
    ]
    const answers = await Promise.all(unknown.map((token) => request("/v1/me", { authorization: `Bearer ${token}` })))
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    expect(new Set(texts).size).toBe(1)
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
  })
})
