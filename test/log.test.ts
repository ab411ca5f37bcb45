import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { listUncommitted } from "../src/disk/git.ts"
import { gitIn } from "../src/memories/staleness/test-repository.ts"
import { claudeSession } from "./claude-session.ts"
import { codexSession } from "./codex-session.ts"
import { type LearningPlace, learningPlace, say } from "./learning-place.ts"
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
  const { code, stdout } = await run("recent", "--session", "last") // the command's earlier name
  expect(code).toBe(0)
  const lines = stdout.trimEnd().split("\n")
  expect(lines[0]).toBe("2024-02-14: 4 entries, 1 log")
  expect(stdout).toMatch(/^[0-9a-f]{4} {2}2024-02-14 {2}note +After lunch — Wren {2}\.squad\/decisions\.md:\d+$/m)
  expect(stdout).toMatch(/^ +2024-02-14 {2}log +cache hunt — \.squad\/log\/2024-02-14T12-00-00Z-cache-hunt\.md$/m)
  expect(stdout).not.toMatch(/An old matter|ong ago/)
  const document = JSON.parse((await run("log", "--json")).stdout)
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
    (await drey.search.recent(options)).recent?.entries.map(({ title }) => title)
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
  const logs = async (agent?: string) => (await drey.search.recent({ agent })).recent?.logs.map(({ topic }) => topic)
  expect(await logs("Kane")).toEqual(["kane"])
  expect(await logs()).toEqual(["dallas", "kane", "cache hunt"])
})

test("an empty time span is reported with the day of the newest entry", async () => {
  const { run } = warmCliIn(makeRepository(sessions))
  expect(await run("log", "--for", "7d")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("Nothing in the last 7d; the newest is from 2024-02-14.\n"),
  })
})

test("an entry dated far in the future is not part of the last session", async () => {
  const { drey } = openTeam(
    { ...sessions, ".squad/decisions/inbox/x.md": legacyEntry("2087-02-05", "From the future") },
    { now },
  )
  const { recent } = await drey.search.recent()
  expect(recent?.entries.map(({ title }) => title)).toContain("After lunch")
  expect(recent?.entries.map(({ title }) => title)).not.toContain("From the future")
  expect(recent?.to).toBe(Date.parse("2024-02-14T13:30:00Z"))
})

test("nothing with a date is an answer with exit code 1, a wrong time wrong usage", async () => {
  const { run } = warmCliIn(makeRepository({ ".squad/decisions.md": "# Decisions\n" }))
  expect(await run("log")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("No dated records"),
  })
  const { code, stdout } = await run("log", "--json")
  expect({ code, ...JSON.parse(stdout) }).toEqual({
    code: 1,
    sessions: [],
    entries: [],
    logs: [],
    notes: [],
    upkeep: [],
    open: [],
    uncommitted: [],
    unread: { left: 0, problem: expect.stringContaining("not trusted yet") },
  })
  expect(await run("log", "--for", "ever")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"ever" is not a time'),
  })
  expect((await run("log", "--session", "first")).code).toBe(2)
})

test("an unreadable file is named, and the rest shown", async () => {
  const { run } = warmCliIn(
    makeRepository({ ...teamFiles, ".squad/decisions/broken.md": Uint8Array.of(0xff, 0xfe, 0, 0xd8, 0) }),
  )
  const { stdout, stderr, code } = await run("log", "--for", "120m")
  expect(stdout).toContain("Paint the elevator")
  expect(stderr).toContain(".squad/decisions/broken.md")
  expect(code).toBe(1)
})

describe("sessions of coding agents", () => {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

  function work({ home, root }: LearningPlace, session: string, start: string) {
    return claudeSession(home, { cwd: root, session, start })
  }

  /** Two sessions of Claude Code that have not been read yet: an earlier one that ended well, and one that left something open. */
  function twoSessions(place: LearningPlace): void {
    const earlier = work(place, "aaaaaaaa-1111", hoursAgo(30))
    earlier.user("Show the sum of all rows in the invoice table")
    earlier.edit("src/table.ts")
    earlier.run("npm test", "Tests: 3 passed")
    earlier.user("Thanks, that works.")
    const later = work(place, "bbbbbbbb-2222", hoursAgo(3))
    later.user("Deploy the invoice service to staging")
    later.edit("deploy/staging.yaml")
    later.run("make deploy", "Error: no such cluster", 2)
  }

  test("what happened in the last session is shown to a user who never read a transcript into Drey", async () => {
    const place = learningPlace()
    twoSessions(place)
    const { code, stdout, stderr } = await place.run("log")
    expect(code).toBe(0)
    expect(stdout.split("\n")[0]).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d to \S+ {2}Claude Code \(1 min, session bbbbbbbb\)$/,
    )
    expect(stdout).toMatch(/^ {2}(?:asked|failed) {6,} Deploy the invoice service to staging$/m)
    expect(stdout).toMatch(/^ {2}left open +make deploy failed: Error: no such cluster$/m)
    expect(stdout).toMatch(/^ {2}files +deploy\/staging\.yaml$/m)
    expect(stdout).not.toContain("sum of all rows")
    expect(stderr).toBe("Drey has not learned from 1 session above yet. To do so: drey ingest\n")
  })

  test("files that are not committed are shown, also below a package of a larger repository", async () => {
    const place = learningPlace()
    twoSessions(place)
    gitIn(place.root)("init", "-q")
    mkdirSync(join(place.root, "deploy"))
    writeFileSync(join(place.root, "deploy/staging.yaml"), "")
    expect((await place.run("log")).stdout).toMatch(/^Not committed: 2 files {2}\.squad\/, deploy\/$/m)
    const git = gitIn(place.root)
    git("add", "-A")
    git("commit", "-qm", "Start")
    expect((await place.runJson<{ uncommitted: string[] }>("log")).uncommitted).toEqual([])
    writeFileSync(join(place.root, "deploy/staging.yaml"), "replicas: 2\n")
    expect(await listUncommitted(join(place.root, "deploy"))).toEqual(["staging.yaml"])
    expect(await listUncommitted(join(place.root, ".squad"))).toEqual([])
  })

  test("-n and --since show several, the last one first, and JSON has all of it", async () => {
    const place = learningPlace()
    twoSessions(place)
    const { sessions } = await place.runJson<{ sessions: { session: string; tasks: object[] }[] }>("log", "-n", "5")
    expect(sessions).toMatchObject([
      {
        client: "claude-code",
        name: "Claude Code",
        session: "bbbbbbbb-2222",
        transcript: expect.stringContaining("bbbbbbbb-2222.jsonl"),
        isRunning: false,
        tasks: [{ text: "Deploy the invoice service to staging", more: 0 }],
        failed: [{ command: "make deploy", error: "Error: no such cluster", times: 1 }],
        files: ["deploy/staging.yaml"],
        learned: [],
        decided: [],
        waiting: 1,
      },
      {
        session: "aaaaaaaa-1111",
        tasks: [{ text: "Show the sum of all rows in the invoice table", outcome: "success", more: 1 }],
        files: ["src/table.ts"],
        failed: [],
      },
    ])
    const named = async (...args: string[]) =>
      (await place.runJson<{ sessions: { session: string }[] }>("log", ...args)).sessions.map(({ session }) => session)
    expect(await named("--since", "24h")).toEqual(["bbbbbbbb-2222"])
    expect(await named("--for", "2d")).toEqual(["bbbbbbbb-2222", "aaaaaaaa-1111"])
    expect(await named("--since", hoursAgo(31), "-n", "1")).toEqual(["bbbbbbbb-2222"])
  })

  test("what was learned and decided is listed with the session, under ids that show opens", async () => {
    const place = learningPlace()
    say(place, "Always use pnpm in this repository, never npm.", { start: hoursAgo(2) })
    await place.run("ingest")
    const at = new Date(Date.parse(hoursAgo(2)) + 30_000).toISOString().slice(0, 19)
    const entries = [semEntry(`${at}Z`, "decision", "Use one table"), semEntry("2024-02-01T09:00:00Z", "note", "Old")]
    writeFileSync(join(place.root, ".squad/decisions.md"), entries.join("\n"))
    const { stdout } = await place.run("log")
    expect(stdout).toMatch(/^ {2}decision +\[[0-9a-f]{4,}\] Use one table$/m)
    const [, handle = ""] = /^ {2}learned +\[(m:[0-9a-f]{4,})\] \w+: .*pnpm/m.exec(stdout) ?? []
    expect((await place.run("show", handle)).stdout).toContain("pnpm")
    expect(stdout).not.toContain("Old")
    expect(stdout.trimEnd().split("\n\n")).toHaveLength(1) // the entry is not listed a second time
  })

  test("a memory is listed with the session it comes from, not with those that showed it again", async () => {
    const place = learningPlace()
    for (const [session, hours] of [["one", 50] as const, ["two", 25] as const])
      say(place, "Always use pnpm in this repository, never npm.", { session, start: hoursAgo(hours) })
    await place.run("ingest")
    const { sessions } = await place.runJson<{ sessions: { learned: object[] }[] }>("log", "-n", "2")
    expect(sessions.map(({ learned }) => learned.length)).toEqual([0, 1])
  })

  test("sessions of other clients are among them, and --agent keeps to one client", async () => {
    const place = learningPlace()
    twoSessions(place)
    const codex = codexSession(place.home, {
      cwd: place.root,
      session: "019c0de0-1111-7222-8333-944445555566",
      start: hoursAgo(1),
      generation: "items",
    })
    codex.user("Rename the invoice table")
    const names = async (...args: string[]) =>
      (await place.runJson<{ sessions: { name: string }[] }>("log", "-n", "9", ...args)).sessions.map(
        ({ name }) => name,
      )
    expect(await names()).toEqual(["Codex CLI", "Claude Code", "Claude Code"])
    expect(await names("--agent", "codex")).toEqual(["Codex CLI"])
    expect(await names("--agent", "Claude-Code")).toHaveLength(2)
  })

  test("an unknown agent gets an answer that lists the known ones", async () => {
    const place = learningPlace({ files: { ".squad/agents/kane/history.md": "# Kane\n" } })
    const { code, stdout, stderr } = await place.run("log", "--agent", "nobody")
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr).toBe("No dated records of nobody found. The team's agents: kane.\n")
  })

  test("a transcript that takes longer than a moment is not read, and counted", async () => {
    const place = learningPlace()
    twoSessions(place)
    work(place, "eeeeeeee-5555", hoursAgo(1)).user(`Read this: ${"word ".repeat(3_500_000)}`)
    const { stdout, stderr } = await place.run("log")
    expect(stdout).toContain("session bbbbbbbb")
    expect(stderr).toBe("1 transcript changed and may contain more sessions. Read them: drey ingest\n")
  })

  test("while learning is paused no transcript is read, and the log says so", async () => {
    const place = learningPlace()
    twoSessions(place)
    await place.run("pause")
    const { stdout, stderr } = await place.run("log")
    expect(stdout).toBe("")
    expect(stderr).toContain("some sessions may be missing: learning is paused; resume it with drey learn on\n")
  })

  test("--agent finds the sessions in which an agent of the team was handed a context", async () => {
    const place = learningPlace({ files: { ".squad/agents/kane/history.md": "# Kane\n" } })
    twoSessions(place)
    await place.run("context", "--agent", "kane", "--task", "Invoices", "--session", "aaaaaaaa-1111")
    const { sessions } = await place.runJson<{ sessions: { session: string }[] }>("log", "--agent", "Kane", "-n", "9")
    expect(sessions.map(({ session }) => session)).toEqual(["aaaaaaaa-1111"])
  })

  test("a session that still runs is marked, and does not hide the last one", async () => {
    const place = learningPlace()
    twoSessions(place)
    work(place, "cccccccc-3333", new Date(Date.now() - 60_000).toISOString()).user("What did we do yesterday?")
    const { stdout } = await place.run("log")
    expect(stdout).toMatch(/still running, session cccccccc/)
    expect(stdout).toMatch(/^ {2}running +What did we do yesterday\?$/m)
    expect(stdout).toContain("session bbbbbbbb")
  })

  test("what grew since it was read is read on, and sessions of another repository are not shown", async () => {
    const place = learningPlace()
    const session = work(place, "aaaaaaaa-1111", hoursAgo(3))
    session.user("Show the sum of all rows")
    const other = learningPlace({ home: place.home })
    work(other, "dddddddd-4444", hoursAgo(1)).user("Something else entirely")
    expect((await place.run("log")).stdout).toContain("Show the sum of all rows")
    session.wait(30)
    session.user("Now add a chart of the invoices by month")
    const { stdout } = await place.run("log", "-n", "9")
    expect(stdout).toContain("Now add a chart")
    expect(stdout).not.toContain("Something else")
  })

  test("nothing in a transcript reaches the terminal as a command to it, and long words are cut", async () => {
    const place = learningPlace()
    const session = work(place, "aaaaaaaa-1111", hoursAgo(3))
    session.user(`Paint it \u001b[31mred\u0007 ${"x".repeat(150)} now`)
    session.edit(`src/\u001b]0;x\u0007${"y".repeat(120)}.ts`)
    const { stdout } = await place.run("log")
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/)
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(120)
  })

  test("in a repository that is not trusted nothing is read, and nothing learned is shown", async () => {
    const place = learningPlace()
    say(place, "Always use pnpm in this repository, never npm.")
    await place.run("ingest")
    rmSync(join(place.env.DREY_HOME, "trust.json"))
    const { stdout, stderr } = await place.run("log")
    expect(stdout).toContain("Show the sum of all rows")
    expect(stdout).not.toContain("learned")
    expect(stderr).toContain("not trusted yet")
  })

  test("a store that cannot be opened is named, and entries are shown anyway", async () => {
    const place = learningPlace({ files: sessions })
    writeFileSync(place.database, "no database at all, but long enough to be one ".repeat(40))
    const before = readFileSync(place.database)
    const { code, stdout, stderr } = await place.run("log")
    expect([code, stdout]).toEqual([0, expect.stringContaining("After lunch")])
    expect(stderr).toContain("some sessions may be missing: ")
    expect(readFileSync(place.database)).toEqual(before)
  })

  test("a number of sessions that is none, and a place without a team folder, are wrong usage", async () => {
    const place = learningPlace()
    for (const wrong of ["0", "-3", "many", "1.5"])
      expect(await place.run("log", `--limit=${wrong}`)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("is not a number of sessions"),
      })
    const nowhere = warmCliIn(makeRepository({}))
    expect(await nowhere.run("log")).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(".squad") })
  })
})
