import { expect, test } from "vitest"
import { legacyEntry, semEntry } from "./legacy-fixtures.ts"
import { makeRepository } from "./run-cli.ts"
import { openTeam, teamFiles } from "./team-store.ts"
import { warmCliIn } from "./warm-cli.ts"

const sessions = {
  ".squad/team.md": "# Team\n",
  ".squad/decisions.md": `${semEntry("2024-02-01T09:00:00Z", "decision", "An old matter")}
${semEntry("2024-02-14T08:00:00Z", "decision", "Early in the morning", { author: "Kane" })}
${semEntry("2024-02-14T13:30:00Z", "note", "After lunch")}`,
  ".squad/agents/kane/history.md": "# Kane\n\n- 2024-02-14: The cache was cold\n- 2024-01-20: Long ago\n",
  ".squad/agents/dallas/history.md": semEntry("2024-02-14T11:00:00Z", "memory", "Safari flickers", {
    author: "Dallas",
  }),
  ".squad/log/2024-02-14T12-00-00Z-cache-hunt.md": "# Log\n",
  ".squad/log/2024-01-02-long-ago.md": "# Log\n",
  ".squad/log/notes.txt": "no log\n",
}

const now = () => new Date("2024-02-16T12:00:00Z")

test("the last session is what was left behind since the last long pause, newest first", async () => {
  const { run } = warmCliIn(makeRepository(sessions))
  const { code, stdout } = await run("recent", "--session", "last")
  expect(code).toBe(0)
  const lines = stdout.trimEnd().split("\n")
  expect(lines[0]).toBe("2024-02-14: 4 entries, 1 log")
  expect(stdout).toMatch(/^2024-02-14 {2}note +After lunch — Wren {2}\.squad\/decisions\.md:\d+$/m)
  expect(stdout).toMatch(/^2024-02-14 {2}log +cache hunt — \.squad\/log\/2024-02-14T12-00-00Z-cache-hunt\.md$/m)
  expect(stdout).not.toMatch(/An old matter|ong ago/)
  const document = JSON.parse((await run("recent", "--json")).stdout)
  expect(document).toMatchObject({ from: "2024-02-14T00:00:00.000Z", to: "2024-02-14T13:30:00.000Z" })
  expect(document.entries.map(({ title }: { title: string }) => title)).toEqual([
    "After lunch",
    "Safari flickers",
    "Early in the morning",
    "The cache was cold",
  ])
  expect(document.entries[0]).toEqual({
    id: expect.stringMatching(/^sem-/),
    source: "decisions",
    type: "note",
    title: "After lunch",
    author: "Wren",
    path: ".squad/decisions.md",
    line: expect.any(Number),
    date: "2024-02-14T13:30:00.000Z",
  })
  expect(document.logs).toEqual([
    { path: ".squad/log/2024-02-14T12-00-00Z-cache-hunt.md", topic: "cache hunt", date: "2024-02-14T12:00:00.000Z" },
  ])
})

test("--agent keeps to one agent's work, --for reaches back so far", async () => {
  const { drey } = openTeam(sessions, { now })
  const titles = async (options: { agent?: string; forMs?: number }) =>
    (await drey.recent(options)).recent?.entries.map(({ title }) => title)
  expect(await titles({ agent: "KANE" })).toEqual(["Early in the morning", "The cache was cold"])
  expect(await titles({ forMs: 20 * 86_400_000 })).toContain("An old matter")
  expect(await titles({ forMs: 20 * 86_400_000 })).not.toContain("Long ago")
})

test("--agent keeps to the logs that are named after the agent", async () => {
  const { drey } = openTeam(
    {
      ...sessions,
      ".squad/orchestration-log/2024-02-14T12-30-00Z-kane.md": "# Kane\n",
      ".squad/orchestration-log/2024-02-14T12-40-00Z-dallas.md": "# Dallas\n",
    },
    { now },
  )
  const logs = async (agent?: string) => (await drey.recent({ agent })).recent?.logs.map(({ topic }) => topic)
  expect(await logs("Kane")).toEqual(["kane"])
  expect(await logs()).toEqual(["dallas", "kane", "cache hunt"])
})

test("nothing in the time asked for is told with the day of the newest", async () => {
  const { run } = warmCliIn(makeRepository(sessions))
  expect(await run("recent", "--for", "7d")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("Nothing in the last 7d; the newest is of 2024-02-14.\n"),
  })
})

test("an entry dated far in the future is no part of the last session", async () => {
  const { drey } = openTeam(
    { ...sessions, ".squad/decisions/inbox/x.md": legacyEntry("2087-02-05", "From the future") },
    { now },
  )
  const { recent } = await drey.recent()
  expect(recent?.entries.map(({ title }) => title)).toContain("After lunch")
  expect(recent?.entries.map(({ title }) => title)).not.toContain("From the future")
  expect(recent?.to).toBe(Date.parse("2024-02-14T13:30:00Z"))
})

test("nothing with a date is an answer with exit code 1, a wrong time wrong usage", async () => {
  const { run } = warmCliIn(makeRepository({ ".squad/decisions.md": "# Decisions\n" }))
  expect(await run("recent")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("Nothing with a date"),
  })
  const { code, stdout } = await run("recent", "--json")
  expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 1, entries: [], logs: [], notes: [], open: [] })
  expect(await run("recent", "--for", "ever")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"ever" is not a time'),
  })
  expect((await run("recent", "--session", "first")).code).toBe(2)
})

test("an unreadable file is named, and the rest told", async () => {
  const { run } = warmCliIn(
    makeRepository({ ...teamFiles, ".squad/decisions/broken.md": Uint8Array.of(0xff, 0xfe, 0, 0xd8, 0) }),
  )
  const { stdout, stderr, code } = await run("recent", "--for", "120m")
  expect(stdout).toContain("Paint the elevator")
  expect(stderr).toContain(".squad/decisions/broken.md")
  expect(code).toBe(1)
})
