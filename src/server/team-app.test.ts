import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findPostgres } from "../../scripts/postgres/find-postgres.ts"
import { shared, startTestServer, type TestMember, type TestServer } from "./test-team-server.ts"

describe.skipIf(findPostgres() === undefined)("reading a request (needs a PostgreSQL server installed)", () => {
  let server: TestServer
  let owner: TestMember
  beforeAll(async () => {
    server = await startTestServer()
    owner = await server.organisation("acme")
  })
  afterAll(() => server?.close())

  const use = {
    ...{ key: "k", memory: "m-1", task: "t", project: "p", at: "2026-03-02T09:00:00.000Z", outcome: null },
    ...{ injected: true, exposed: true, cited: false, regretSaved: 0, netRegret: 0 },
  }

  test.each<[string, string, unknown?]>([
    ["GET", "/v1/memories/%00"],
    ["GET", "/v1/memories?after=%00"],
    ["GET", "/v1/changes?project=one&project=%00"],
    ["DELETE", "/v1/tokens/%00"],
    ["POST", "/v1/memories", shared({ text: "A rule\0 with an end" })],
    ["POST", "/v1/memories", shared({ sourceMemory: "m-\0" })],
    ["POST", "/v1/memories", shared({ project: "p-\0" })],
    ["POST", "/v1/uses", { events: [{ ...use, key: "k\0" }] }],
    ["POST", "/v1/uses", { events: [{ ...use, key: "half of a pair: \ud83d" }] }],
    ["POST", "/v1/search", { q: "\0" }],
  ])("%s %s is refused where a text cannot be stored", async (method, path, body) => {
    expect(await owner.ask(method, path, body)).toMatchObject({ status: 400, body: { code: "invalid" } })
  })

  test("complete surrogate pairs are accepted", async () => {
    expect(
      await owner.ask("POST", "/v1/uses", { events: [{ ...use, key: "a whole pair: \ud83d\ude00" }] }),
    ).toMatchObject({
      status: 200,
    })
  })
})
