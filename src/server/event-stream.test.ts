import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findPostgres } from "../../scripts/postgres/find-postgres.ts"
import { publicUrl, share, startTestServer, type TestMember, type TestServer } from "./test-team-server.ts"

describe.skipIf(findPostgres() === undefined)("the stream of changes (needs a PostgreSQL server installed)", () => {
  let server: TestServer
  let owner: TestMember
  beforeAll(async () => {
    server = await startTestServer({ heartbeatMs: 50 })
    owner = await server.organisation("acme")
  })
  afterAll(() => server?.close())

  const listen = async (headers: Record<string, string>) => {
    const response = await server.app.request(`${publicUrl}/v1/events`, { headers })
    const reader = response.body?.getReader()
    if (!reader) throw new Error("there is no stream")
    const until = async (pattern: RegExp) => {
      let text = ""
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return undefined
        text += new TextDecoder().decode(value)
        if (pattern.test(text)) return text
      }
    }
    return { until, leave: () => reader.cancel() }
  }

  test("a change is announced, with the position to request", async () => {
    const stream = await listen({ cookie: `drey-team=${owner.secret}` })
    await stream.until(/listening/)
    await share(owner, { text: "Something new about releases" })
    const told = await stream.until(/"changed"/)
    const { body } = await owner.ask("GET", "/v1/changes")
    expect(told).toContain(`data: {"kind":"changed","version":${body.next}}`)
    await stream.leave()
  })

  test("a token can have a few streams at once, and another when one has ended", async () => {
    const { secret } = await owner.withToken(["read"])
    const headers = { authorization: `Bearer ${secret}` }
    const streams = await Promise.all(Array.from({ length: 5 }, () => listen(headers)))
    const ask = () => server.app.request(`${publicUrl}/v1/events`, { headers })
    const refused = await ask()
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({ code: "too-many" })
    await streams[0]?.leave()
    const again = await ask()
    expect(again.status).toBe(200)
    await again.body?.cancel()
    for (const stream of streams.slice(1)) await stream.leave()
  })

  test("a stream ends when its token is revoked", async () => {
    const token = await owner.withToken(["read"])
    const stream = await listen({ authorization: `Bearer ${token.secret}` })
    await stream.until(/still here/)
    const { body } = await owner.ask("GET", "/v1/tokens")
    const id = body.tokens.find(({ hint }: { hint: string }) => token.secret.startsWith(hint)).id
    await owner.ask("DELETE", `/v1/tokens/${id}`)
    expect(await stream.until(/never comes/)).toBeUndefined()
  })
})
