import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type FakeTeamServer, startFakeTeamServer } from "../src/server/client/test-server.ts"
import { type LearningPlace, learningPlace, say } from "./learning-place.ts"
import { startCli } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const remote = '[remote "origin"]\n\turl = https://git.example.com/acme/shop.git\n'

/** A member's machine with a clone of the same repository on it. */
function machine(): LearningPlace {
  return learningPlace({ files: { ".git/config": remote, ".git/HEAD": "ref: refs/heads/main\n" } })
}

function run({ root, env }: LearningPlace, input: string, ...args: string[]) {
  return runWarm(args, { cwd: root, env, input })
}

async function startTeam() {
  const server = await startFakeTeamServer()
  server.tokens.set("token-of-ada", { id: "u-ada", name: "Ada", role: "member", teams: ["t-payments"] })
  return server
}

async function taught(): Promise<LearningPlace & { id: string }> {
  const kim = machine()
  say(kim, "we use pnpm here, not npm")
  await kim.run("ingest")
  return { ...kim, id: kim.rows<{ memory_id: string }>("SELECT memory_id FROM memories")[0]?.memory_id ?? "" }
}

test("what one member shares is handed to the agents of another, under the member's name, and its use is reported back", async () => {
  const server = await startTeam()
  const [kim, ada] = [await taught(), machine()]
  const signedIn = await run(kim, "token-of-kim\n", "team", "login", server.url)
  expect([signedIn.code, signedIn.stderr]).toEqual([0, ""])
  expect(signedIn.stdout).toContain("Signed in to Acme as Kim, member.")
  const shared = await run(kim, "", "team", "share", kim.id, "--team", "payments", "--yes")
  expect(shared.stderr).toContain("With team Payments, under your name: shared by Kim.")
  expect(shared.stderr).toMatch(/pnpm/)
  expect([shared.code, shared.stdout]).toEqual([
    0,
    "Shared 1 memory. It is on trial in the team until an administrator confirms it or other members' work proves it.\n",
  ])

  const joined = await run(ada, "token-of-ada", "team", "login", server.url)
  expect(joined.stdout).toContain("1 new memory")
  const context = await run(ada, "", "context", "--task", "Install a package with npm or pnpm")
  expect(context.stdout).toContain("> shared by Kim (team Payments)")
  expect((await run(ada, "", "search", "pnpm")).stdout).toContain("shared by Kim (team Payments)")
  const [copy] = [...server.memories.keys()]
  expect((await run(ada, "", "why", copy ?? "")).stdout).toMatch(/shared by +Kim \(team Payments\)/)
  const forgotten = await run(ada, "", "forget", copy ?? "")
  expect([forgotten.code, forgotten.stderr]).toEqual([1, expect.stringContaining(`drey team unshare ${copy}`)])

  const synced = await run(ada, "", "team", "sync")
  expect(synced.stdout).toMatch(/Sent: \d+ uses?\./)
  expect([...server.uses.values()]).toMatchObject([{ memory: copy, injected: true }])

  expect((await run(kim, "", "team", "unshare", kim.id)).stdout).toBe("Withdrew 1 memory.\n")
  expect((await run(ada, "", "team", "sync")).stdout).toContain("1 gone")
  expect((await run(ada, "", "search", "pnpm")).stdout).toBe("")
})

test("nothing is shared unasked, and offline it waits", async () => {
  const server = await startTeam()
  const kim = await taught()
  await run(kim, "token-of-kim", "team", "login", server.url)
  const unasked = await run(kim, "", "team", "share", kim.id)
  expect([unasked.code, unasked.stderr]).toEqual([1, expect.stringContaining("Nothing was shared")])
  expect(server.memories.size).toBe(0)
  await server.close()
  const queued = await run(kim, "", "team", "share", kim.id, "--yes")
  expect([queued.code, queued.stdout]).toEqual([0, expect.stringContaining("1 memory waits for the next sync")])
  const synced = await run(kim, "", "team", "sync")
  expect([synced.code, synced.stderr]).toEqual([1, expect.stringContaining("cannot be reached: connection refused")])
  const status = await run(kim, "", "team", "status", "--json")
  expect(JSON.parse(status.stdout)).toMatchObject({
    organisation: { name: "Acme" },
    member: { name: "Kim", role: "member" },
    waiting: { share: 1 },
    problem: { message: expect.stringContaining("cannot be reached") },
  })
  const context = await run(kim, "", "context", "--task", "Install a package with npm or pnpm")
  expect([context.code, context.stdout]).toEqual([0, expect.stringContaining("pnpm")])
  const left = await run(kim, "", "team", "leave", "--yes")
  expect([left.code, left.stderr]).toEqual([0, expect.stringContaining("Not sent to the server yet: 1 share")])
  expect(existsSync(join(kim.env.DREY_HOME, "team.json"))).toBe(false)
  expect(kim.rows("SELECT memory_id FROM memories")).toEqual([{ memory_id: kim.id }])
})

test("episodes are sent when the user and the team have agreed, and status and doctor show it", async () => {
  const server = await startTeam()
  const kim = await taught()
  expect((await run(kim, "", "team", "episodes", "on", "--yes")).code).toBe(1) // not signed in
  await run(kim, "token-of-kim", "team", "login", server.url)
  const unasked = await run(kim, "", "team", "episodes", "on")
  expect([unasked.code, unasked.stderr]).toEqual([1, expect.stringContaining("Nothing was changed")])
  expect(unasked.stderr).toContain("Secrets and email addresses are removed here")
  expect((await run(kim, "", "team", "episodes", "on", "--from", "soon", "--yes")).code).toBe(2)
  const turnedOn = await run(kim, "", "team", "episodes", "on", "--from", "2020-01-01", "--yes", "--json")
  const { project, ...consent } = JSON.parse(turnedOn.stdout)
  expect(consent).toMatchObject({ from: "2020-01-01T00:00:00.000Z", isAgreed: false, waiting: 1 })
  const status = async () => (await run(kim, "", "team", "status")).stdout
  expect(await status()).toContain(
    `the team has not agreed yet: an administrator can enable it for ${project}; 1 waiting`,
  )
  server.agreed.add(project)
  expect((await run(kim, "", "team", "sync")).stdout).toContain("Sent: 1 episode.")
  expect(JSON.stringify([...server.episodes.values()])).not.toContain(kim.home)
  expect(await status()).toContain("the team agreed too; 1 sent")
  expect((await run(kim, "", "doctor", "--verbose")).stdout).toContain("team: Signed in to Acme as Kim. Last synced ")
  expect((await run(kim, "", "team", "episodes", "off")).stdout).toContain("no longer sent")
  expect(await status()).not.toContain("episodes")
})

test("an expired token is reported once, in a line, and everything else keeps working", async () => {
  const server = await startTeam()
  const kim = await taught()
  await run(kim, "token-of-kim", "team", "login", server.url)
  server.tokens.delete("token-of-kim")
  const synced = await run(kim, "", "team", "sync")
  expect(synced.stderr).toBe(
    `drey: ${server.url} rejected the token: it has expired or was revoked\n  Sign in again: drey team login ${server.url}\n`,
  )
  expect((await run(kim, "", "team", "status")).stdout).toContain("Sign in again")
  expect((await run(kim, "", "search", "pnpm")).code).toBe(0)
})

test("a token is shown nowhere", async () => {
  const server = await startTeam()
  const kim = machine()
  const secret = "drey_pat_0123456789abcdef0123456789abcdef"
  const refused = await run(kim, "", "team", "login", server.url, "--token", secret)
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("rejected the token")])
  server.tokens.set(secret, { id: "u-kim", name: "Kim", role: "member", teams: [] })
  const outputs = [refused]
  for (const args of [
    ["login", server.url, "--token", secret, "--json"],
    ["status", "--json"],
    ["sync", "--json"],
  ])
    outputs.push(await run(kim, "", "team", ...args))
  expect(outputs.slice(1).map(({ code }) => code)).toEqual([0, 0, 0])
  for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toContain(secret)
  expect(server.requests.every(({ path }) => !path.includes(secret))).toBe(true)
  expect(readFileSync(join(kim.env.DREY_HOME, "team.json"), "utf8")).toContain(secret)
})

/** Comes true when the server is asked from now on. */
function asked(server: FakeTeamServer): Promise<string> {
  return new Promise((resolve) => {
    server.fault = ({ path }) => {
      resolve(path)
      return "drop"
    }
  })
}

function makeSyncDue({ env }: LearningPlace): void {
  rmSync(join(env.DREY_HOME, "run", "team-sync.json"))
}

test.each<[string, (root: string) => [input: string, ...args: string[]]]>([
  ["a context", () => ["", "context", "--task", "Install a package with npm or pnpm"]],
  ["the end of a turn", (cwd) => [JSON.stringify({ session_id: "s", cwd }), "hook", "claude-code", "Stop"]],
])("%s starts a sync that is due, and does not wait for it", async (_, command) => {
  const server = await startTeam()
  const kim = await taught()
  await run(kim, "token-of-kim", "team", "login", server.url)
  makeSyncDue(kim)
  const request = asked(server)
  const [input, ...args] = command(kim.root)
  expect((await run(kim, input, ...args)).code).toBe(0)
  expect(await request).toBe("/v1/me")
  await run(kim, "", "team", "sync") // waits until the one in the background has ended
})

test.each([["watch"], ["mcp", "--http", "--port", "0"], ["ui", "--no-open"]])(
  "a long-running process syncs automatically: drey %s",
  async (...args) => {
    const server = await startTeam()
    const kim = await taught()
    await run(kim, "token-of-kim", "team", "login", server.url)
    makeSyncDue(kim)
    const request = asked(server)
    const staying = startCli(args, { cwd: kim.root, env: kim.env })
    const ended = new Promise((resolve) => staying.on("close", resolve))
    expect(await request).toBe("/v1/me")
    staying.kill("SIGTERM")
    await ended
  },
)

test("every command shows how to sign in when signed out", async () => {
  const kim = machine()
  for (const args of [["status"], ["sync"], ["share", "m:12", "--yes"], ["unshare", "m:12"], ["leave", "--yes"]]) {
    const { code, stdout, stderr } = await run(kim, "", "team", ...args)
    expect([code, stdout + stderr], args.join(" ")).toEqual([1, expect.stringContaining("drey team login")])
  }
  const wrong = await run(kim, "token-of-kim", "team", "login", "http://drey.example.com")
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("is not encrypted")])
})
