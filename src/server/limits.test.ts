import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findPostgres } from "../../scripts/postgres/find-postgres.ts"
import type { PostgresDriver } from "../disk/postgres/driver.ts"
import { makeSecret } from "./identity/credentials.ts"
import { publicUrl, shared, startTestServer, type TestMember, type TestServer } from "./test-team-server.ts"

describe.skipIf(findPostgres() === undefined)("limits of the server (needs a PostgreSQL server installed)", () => {
  let server: TestServer
  let owner: TestMember
  beforeAll(async () => {
    server = await startTestServer({ rates: { requestsPerMinute: 40, signInsPerMinute: 5 } })
    owner = await server.organisation("limited")
  })
  afterAll(() => server?.close())

  test("a body that is too large is not read", async () => {
    const answer = await owner.ask("POST", "/v1/memories", { ...shared(), padding: "x".repeat(1024 * 1024) })
    expect(answer).toMatchObject({ status: 413, body: { code: "too-large" } })
  })

  test("invalid input is reported by name, never by value", async () => {
    const canary = "canary-4711"
    const answer = await owner.ask("POST", "/v1/memories", shared({ kind: canary as "note" }))
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid" } })
    expect(answer.body.error).toMatch(/^"kind": /)
    expect(JSON.stringify(answer.body)).not.toContain(canary)
    const response = await server.app.request(`${publicUrl}/v1/search`, {
      method: "POST",
      headers: { cookie: `drey-team=${owner.secret}`, origin: publicUrl, "content-type": "text/plain" },
      body: "{}",
    })
    expect(response.status).toBe(415)
  })

  test("a missing resource reveals nothing else", async () => {
    expect(await owner.ask("GET", "/v1/nothing")).toMatchObject({ status: 404, body: { code: "not-found" } })
    expect(await owner.ask("PUT", "/v1/me")).toMatchObject({ status: 404 })
  })

  test("a client that guesses secrets has to wait", async () => {
    const tries = Array.from({ length: 6 }, () => owner.ask("POST", "/v1/sign-in/token", { token: "drey_pat_x" }))
    const answers = await Promise.all(tries)
    expect(answers.map(({ status }) => status).sort()).toEqual([401, 401, 401, 401, 429, 429]) // one joined by its link
    expect(Number(answers.find(({ status }) => status === 429)?.headers.get("retry-after"))).toBeGreaterThan(0)
  })

  test("a client that guesses tokens has to wait without a database query, and blocks no known token", async () => {
    const asked: string[] = []
    const within: PostgresDriver["within"] = (reach, mode, body) => {
      asked.push(mode)
      return server.driver.within(reach, mode, body)
    }
    const counted = await startTestServer({ driver: { ...server.driver, within }, rates: { signInsPerMinute: 5 } })
    const me = (token: string) =>
      counted.app.request(`${publicUrl}/v1/me`, { headers: { authorization: `Bearer ${token}` } })
    const good = (await owner.withToken(["read"])).secret
    expect((await me(good)).status).toBe(200)
    const made = () => makeSecret("pat", "limited").text
    const statuses = []
    for (let at = 0; at < 40; at++) statuses.push((await me(made())).status)
    expect([statuses.indexOf(429), statuses.lastIndexOf(401)]).toEqual([30, 29])
    const before = asked.length
    expect((await me(made())).status).toBe(429)
    expect(asked.length).toBe(before)
    expect((await me(good)).status).toBe(200)
    await counted.parts.live.close()
  })

  test("a token with too many requests has to wait", async () => {
    const answers = await Promise.all(Array.from({ length: 45 }, () => owner.ask("GET", "/v1/me")))
    expect(answers.some(({ status }) => status === 429)).toBe(true)
  })

  test("the metrics are served to this machine, or with the token", async () => {
    expect((await server.app.request(`${publicUrl}/metrics`)).status).toBe(404) // asked without a connection, from nowhere
    const guarded = await startTestServer({ driver: server.driver, metricsToken: "figures" })
    const headers = { authorization: "Bearer figures" }
    const figures = await (await guarded.app.request(`${publicUrl}/metrics`, { headers })).text()
    expect(figures).toContain("drey_request_seconds")
    const wrong = { authorization: "Bearer figure5" }
    expect((await guarded.app.request(`${publicUrl}/metrics`, { headers: wrong })).status).toBe(404)
    await guarded.parts.live.close()
  })

  test("behind a proxy the metrics need the token, because the proxy on this machine forwards others' requests", async () => {
    const here = { incoming: { socket: { remoteAddress: "127.0.0.1", remotePort: 50_000, remoteFamily: "IPv4" } } }
    const isShown = async (isBehindProxy: boolean) => {
      const shown = await startTestServer({ driver: server.driver, isBehindProxy })
      const { status } = await shown.app.request(`${publicUrl}/metrics`, {}, here)
      await shown.parts.live.close()
      return status === 200
    }
    expect([await isShown(false), await isShown(true)]).toEqual([true, false])
  })

  test("it is ready until it is asked to stop", async () => {
    expect((await server.app.request(`${publicUrl}/readyz`)).status).toBe(200)
    server.retire()
    expect((await server.app.request(`${publicUrl}/readyz`)).status).toBe(503)
    expect((await server.app.request(`${publicUrl}/healthz`)).status).toBe(200)
  })
})
