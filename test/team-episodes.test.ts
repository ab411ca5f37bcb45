import type { AddressInfo } from "node:net"
import { serve } from "@hono/node-server"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findPostgres } from "../scripts/postgres/find-postgres.ts"
import { runJob } from "../src/server/jobs/job-runner.ts"
import { startTestServer, type TestMember, type TestServer } from "../src/server/test-team-server.ts"
import { learningPlace, say } from "./learning-place.ts"

describe.skipIf(findPostgres() === undefined)("episodes for the team (needs a PostgreSQL server installed)", () => {
  let server: TestServer
  let owner: TestMember
  let url: string
  let listening: ReturnType<typeof serve>
  beforeAll(async () => {
    server = await startTestServer()
    owner = await server.organisation("acme")
    listening = serve({ fetch: server.app.fetch, port: 0, hostname: "127.0.0.1" })
    await new Promise((resolve) => listening.once("listening", resolve))
    url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    await new Promise((resolve) => listening?.close(resolve))
    await server?.close()
  })

  test("what the server learns from a member's work is the same memory to that member, and the team's to another", async () => {
    const files = { ".git/config": remote, ".git/HEAD": "ref: refs/heads/main\n" }
    const [kim, ada] = [learningPlace({ files }), learningPlace({ files })]
    const join = async (name: string, { open }: typeof kim) => {
      const { secret } = await (await owner.invite(name, "member")).withToken(["read", "write"])
      const drey = open()
      const team = drey.server
      await team.login({ server: url, token: secret })
      return { drey, team }
    }
    const rules = ["we use pnpm here, not npm", "always run make lint before you commit"]
    for (const [at, rule] of rules.entries()) say(kim, rule, { session: `session ${at}` })
    const [{ drey, team }, other] = [await join("Kim", kim), await join("Ada", ada)]
    await drey.memories.ingest()
    const { project, waiting, isAgreed } = await team.allowEpisodes({ from: new Date(0) })
    expect([waiting, isAgreed]).toEqual([2, false])
    expect(await team.sync()).toMatchObject({ episodes: 0, problem: undefined })
    await owner.ask("PUT", `/v1/projects/${project}`, { episodes: true })
    expect(await team.sync()).toMatchObject({ episodes: 2, problem: undefined })
    expect((await owner.ask("GET", "/v1/org/export")).body).not.toContain(kim.home)

    await runJob({ ...server.parts, warn: () => {} }, "learn", { slug: "acme", project })
    expect((await team.sync()).added).toHaveLength(2)
    expect(kim.rows("SELECT owner_type, status FROM memories ORDER BY owner_type")).toEqual([
      ...[1, 2].map(() => ({ owner_type: "org", status: "provisional" })),
      ...[1, 2].map(() => ({ owner_type: "user", status: "provisional" })),
    ])
    const task = "Install a package with npm or pnpm, run make lint and commit"
    const { text } = (await drey.context.build({ task })).context
    expect([text.match(/pnpm/g), text.match(/make lint/g)]).toEqual([["pnpm"], ["make lint"]])
    expect(text.match(/the team's work \(The acme\)/g)).toHaveLength(2)

    await other.team.sync()
    expect((await other.drey.context.build({ task })).context.text).toContain("the team's work (The acme)")

    for (const [at, rule] of rules.entries()) say(ada, rule, { session: `session ${at}` })
    await other.drey.memories.ingest()
    expect(ada.rows("SELECT owner_type FROM memories")).toEqual([1, 2].map(() => ({ owner_type: "org" })))
  })
})

const remote = '[remote "origin"]\n\turl = https://git.example.com/acme/shop.git\n'
