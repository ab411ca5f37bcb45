import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findPostgres } from "../../../scripts/postgres/find-postgres.ts"
import { share, startTestServer, type TestMember, type TestServer } from "../test-team-server.ts"

describe.skipIf(findPostgres() === undefined)("changing a team's memory (needs a PostgreSQL server installed)", () => {
  let server: TestServer
  let owner: TestMember
  beforeAll(async () => {
    server = await startTestServer()
    owner = await server.organisation("acme")
  })
  afterAll(() => server?.close())

  test("a fact is not restored if another has its key by now", async () => {
    const fact = { kind: "invariant", key: "project.packages.manager" } as const
    const old = await share(owner, { ...fact, text: "Packages come from npm", sourceMemory: "m-old" })
    await owner.ask("DELETE", `/v1/memories/${old.id}`, { reason: "no longer so" })
    await share(owner, { ...fact, text: "Packages come from pnpm", sourceMemory: "m-new" })
    const { body } = await owner.ask("GET", `/v1/memories/${old.id}`)
    const { version } = body.memory
    const revived = await owner.ask("PATCH", `/v1/memories/${old.id}`, { version, status: "active" })
    expect(revived).toMatchObject({ status: 409, body: { code: "key-taken" } })
  })
})
