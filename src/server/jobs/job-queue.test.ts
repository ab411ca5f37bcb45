import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { findPostgres } from "../../../scripts/postgres/find-postgres.ts"
import { startFakeModel } from "../../../test/fake-model.ts"
import { makeRepository } from "../../../test/run-cli.ts"
import { statsOf } from "../../learning/episodes/episode-stats.ts"
import type { Episode } from "../../memories/episode.ts"
import { wholeOf } from "../identity/caller.ts"
import { tenantStore } from "../memories/tenant-store.ts"
import { readOrganisationLearning } from "../organisation-learning.ts"
import { share, startTestServer, type TestMember, type TestServer } from "../test-team-server.ts"
import { runJob } from "./job-runner.ts"

const project = "github.com/acme/shop"

describe.skipIf(findPostgres() === undefined)("background work (needs a PostgreSQL server installed)", () => {
  let server: TestServer
  let owner: TestMember
  beforeAll(async () => {
    server = await startTestServer({ runsJobs: true })
    owner = await server.organisation("acme")
  })
  afterAll(() => server?.close())

  const memories = async () => (await owner.ask("GET", "/v1/memories")).body.memories

  test("episodes are accepted only from projects that have agreed, once, and without secrets", async () => {
    const canary = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`
    const upload = { episodes: [episode("ep-1", `Always deploy with make ship. The token is ${canary}`)] }
    expect(await owner.ask("POST", "/v1/episodes", upload)).toMatchObject({
      status: 403,
      body: { code: "episodes-not-agreed" },
    })
    await owner.ask("PUT", `/v1/projects/${encodeURIComponent(project)}`, { episodes: true })
    expect((await owner.ask("POST", "/v1/episodes", upload)).body).toEqual({ taken: 1, known: 0, refused: 0 })
    expect((await owner.ask("POST", "/v1/episodes", upload)).body).toEqual({ taken: 0, known: 1, refused: 0 })
    const odd = { ...episode("ep-odd", "x"), flushReason: "boredom" }
    expect((await owner.ask("POST", "/v1/episodes", { episodes: [odd] })).body).toEqual({
      taken: 0,
      known: 0,
      refused: 1,
    })
    expect((await owner.ask("GET", "/v1/org/export")).body).not.toContain(canary)
  })

  test("lessons of episodes become the organisation's memory, on trial", async () => {
    await owner.ask("POST", "/v1/episodes", { episodes: [episode("ep-2", "Always run make lint before you commit.")] })
    await expect.poll(memories, { timeout: 30_000 }).toContainEqual(
      expect.objectContaining({
        owner: { type: "org", id: "acme" },
        status: "provisional",
        text: expect.stringContaining("make lint"),
      }),
    )
    const before = await memories()
    await runJob(jobParts(), "learn", { slug: "acme", project })
    expect(await memories()).toEqual(before)
  })

  test("an organisation learns with the model and the policy that the server's settings name, others by rules", async () => {
    const answer = { op: "ADD", kind: "invariant", text: "Ship the release with make ship.", confidence: 0.9 }
    const evidence = { source: "explicit_statement", quote: "the release goes out with make ship", event: 0 }
    const model = await startFakeModel({ text: JSON.stringify({ ops: [{ ...answer, evidence }] }) })
    onTestFinished(() => model.close())
    const writer = { provider: "openai-compatible", model: "m", baseUrl: `${model.url}/v1`, keyVariable: "ACME_KEY" }
    const folder = makeRepository({
      "learning.json": JSON.stringify({ acme: { writer, policy: "acme.toml" } }),
      "acme.toml": "[writer]\nmax_attempts = 2\n",
    })
    const path = join(folder, "learning.json")
    expect(() => readOrganisationLearning(path, {})).toThrow("ACME_KEY is not set in the server's environment")
    const learning = readOrganisationLearning(path, { ACME_KEY: "the-key" })
    expect([learning.policyOf("acme"), learning.policyOf("else")].map((each) => each.writer.max_attempts)).toEqual([
      2, 5,
    ])
    expect([(await learning.writerOf("acme")).id, (await learning.writerOf("else")).id]).toEqual([
      "model:openai-compatible/m",
      "rules",
    ])
    const store = tenantStore(server.parts.driver, wholeOf("acme"), server.parts.memory)
    const words = "Please note: the release goes out with make ship"
    const own = { ...episode("ep-model", words), transcript: "", stats: statsOf([]) } as unknown as Episode
    await store.takeIn({
      read: { client: "codex", path: "/t.jsonl", position: { offset: 0, line: 0, stamp: "", carried: "" }, seen: [] },
      open: [],
      episodes: [own],
    })
    await runJob({ ...jobParts(), learning }, "learn", { slug: "acme", project })
    expect(await memories()).toContainEqual(expect.objectContaining({ text: "Ship the release with make ship." }))
    expect(model.requests[0]?.headers.authorization).toBe("Bearer the-key")
    expect((await owner.ask("GET", "/v1/org/export")).body).not.toContain("the-key")
  })

  test("memories that members' agents use and that help are promoted", async () => {
    const given = { text: "Restart the worker after a schema change", status: "provisional", kind: "note" } as const
    const sam = await owner.invite("Sam", "member")
    const { id } = await share(sam, { ...given, tier: "short_term" })
    const use = { memory: id, project, at: new Date().toISOString(), injected: true, exposed: true, cited: true }
    const figures = { outcome: "hit", regretSaved: 2, netRegret: 2 }
    const events = Array.from({ length: 10 }, (_, at) => ({ ...use, ...figures, key: `k-${at}`, task: `t-${at}` }))
    await owner.ask("POST", "/v1/uses", { events })
    const statusOf = async () => (await owner.ask("GET", `/v1/memories/${id}`)).body.memory.status
    await expect.poll(statusOf, { timeout: 40_000 }).toBe("active")
    const later = async () => {
      const sql = "SELECT extract(hour FROM start_after - created_on) AS hours"
      const { rows } = await server.parts.driver.ask(
        `${sql} FROM pgboss.job WHERE name = 'evaluate' AND state = 'created' AND singleton_key LIKE 'later %'`,
      )
      return rows.map(({ hours }) => Number(hours))
    }
    await expect.poll(later, { timeout: 20_000 }).toEqual([6]) // once, however often it ran
  })

  test("uses of unknown memories, in unknown projects, create no work", async () => {
    const tom = await owner.invite("Tom", "member")
    const { id } = await share(tom, { project: null, scope: "global", sourceMemory: "m-everywhere" })
    const use = { at: new Date().toISOString(), injected: true, outcome: null, exposed: true, cited: false }
    const figures = { regretSaved: 0, netRegret: 0 }
    const events = Array.from({ length: 50 }, (_, at) => ({
      ...{ ...use, ...figures, key: `odd-${at}`, task: `odd-${at}`, project: `invented-${at}` },
      memory: at === 0 ? id : `m-invented-${at}`,
    }))
    await owner.ask("POST", "/v1/uses", { events })
    const { rows } = await server.parts.driver.ask(
      "SELECT data ->> 'project' AS project FROM pgboss.job WHERE name = 'evaluate'",
    )
    expect(new Set(rows.map((row) => row.project))).toEqual(new Set([project, ""]))
  })

  test("a project whose memories have all ended is not evaluated again", async () => {
    const elsewhere = "github.com/acme/short-lived"
    const { id, version } = await share(owner, { project: elsewhere, sourceMemory: "m-short-lived" })
    await owner.ask("DELETE", `/v1/memories/${id}`, { version, reason: "it is over" })
    await server.parts.jobs.send("evaluate", { slug: "acme", project: elsewhere })
    const left = async () => {
      const { rows } = await server.parts.driver.ask(
        "SELECT state::text FROM pgboss.job WHERE name = 'evaluate' AND data ->> 'project' = $1",
        [elsewhere],
      )
      return rows.map(({ state }) => state)
    }
    await expect.poll(left, { timeout: 60_000 }).toEqual(["completed"])
  })

  test("a job of an organisation that was deleted meanwhile does nothing, and is not a failure", async () => {
    await server.parts.jobs.send("evaluate", { slug: "deleted", project })
    const states = async () => {
      const { rows } = await server.parts.driver.ask(
        "SELECT state::text FROM pgboss.job WHERE data ->> 'slug' = 'deleted'",
      )
      return rows.map(({ state }) => state)
    }
    await expect.poll(states, { timeout: 20_000 }).toEqual(["completed"])
    expect(server.log.filter((line) => line.includes("a job failed"))).toEqual([])
  })

  test("expired data is removed after a while", async () => {
    const token = await owner.withToken(["read"], 1)
    server.pass(40 * 86_400_000)
    await runJob(jobParts(), "tidy", { slug: "acme" })
    expect(await token.ask("GET", "/v1/me")).toMatchObject({ status: 401, body: { code: "signed-out" } })
  })

  const jobParts = () => ({ ...server.parts, warn: () => {} })
})

function episode(id: string, words: string) {
  const at = "2026-03-01T09:00:00.000Z"
  const event = { ts: at, role: "user", kind: "message" }
  const said = { ...event, id: `${id}-1`, line: 1, summary: words, raw_snippet: words, statement: "always" }
  const done = { ...event, id: `${id}-2`, line: 2, role: "assistant", summary: "Understood, I will." }
  return {
    id,
    project,
    client: "codex",
    session: `s-${id}`,
    start: at,
    end: at,
    events: [said, done],
    stats: {},
    flushReason: "explicit",
  }
}
