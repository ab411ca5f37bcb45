import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Drey } from "../src/drey.ts"
import { parseQuery } from "../src/formats/query.ts"
import { electricianNotes, notesPath, oneMore, session, testerNotes } from "../src/recall/test-notes.ts"
import { makeRepository } from "./run-cli.ts"
import { openTeam, reopen, teamFiles } from "./team-store.ts"
import { runWarm, warmCliIn } from "./warm-cli.ts"

const testerPath = notesPath.replace("agent-memory", "agent-memory.tester")
const archivePath = notesPath.replace("agent-memory", "agent-memory-archive")
const files = { ...teamFiles, [notesPath]: electricianNotes, [testerPath]: testerNotes }
const lineOf = (id: string) => electricianNotes.split("\n").findIndex((line) => line.includes(`id: ${id}`)) + 1

async function find(drey: Drey, text: string, agent?: string) {
  const parsed = parseQuery(text)
  if (parsed.kind === "invalid") throw new Error(parsed.problems[0]?.message)
  return drey.search.items({ query: parsed.query, agent })
}

const titlesOf = async (drey: Drey, text: string, agent?: string) =>
  (await find(drey, text, agent)).hits.map(({ title }) => title)

test("a failed attempt of a session is found with its result, its agent and its place", async () => {
  const { run } = warmCliIn(makeRepository(files))
  const { code, stdout } = await run("search", "contact", "welded", "relay")
  expect(code).toBe(0)
  expect(stdout).toContain(
    `Warm up the relay before dusk [s:${session}/attempt-001]
  attempt, failure (session) · Electrician · 2026-01-23 · ${notesPath}:${lineOf("attempt-001")}\n`,
  )
  const [hit] = JSON.parse((await run("search", "welded", "--source", "session", "--json")).stdout)
  expect(hit).toMatchObject({
    id: `s:${session}/attempt-001`,
    source: "session",
    type: "attempt",
    result: "failure",
    title: "Warm up the relay before dusk",
    snippet: expect.stringContaining("ContactWelded"),
    path: notesPath,
    line: lineOf("attempt-001"),
    author: "Electrician",
    date: "2026-01-23T10:40:00.000Z",
  })
})

test("an item of a session is explained by its id: its text, where it is, why no context has it", async () => {
  const { run } = warmCliIn(makeRepository(files))
  const { code, stdout } = await run("why", `s:${session}/tester/discovery-001`)
  expect(code).toBe(0)
  expect(stdout).toContain("With a triac the lamp is lit within 20 ms")
  expect(stdout).toMatch(/written +discovery by Tester, 2026-01-23/)
  expect(stdout).toMatch(/source +\S+agent-memory\.tester\.yaml:7 \(session\)/)
  expect(stdout).toMatch(/status +not handed out: a session note/)
  const attempt = JSON.parse((await run("why", `s:${session}/attempt-001`, "--json")).stdout)
  expect(attempt).toMatchObject({ type: "attempt", result: "failure", agent: "electrician" })
})

test("the last session is shown with what it found, failed at, and left open", async () => {
  const { run } = warmCliIn(
    makeRepository({ ".squad/team.md": "# Team\n", [notesPath]: electricianNotes, [testerPath]: testerNotes }),
  )
  const { code, stdout } = await run("recent")
  expect(code).toBe(0)
  expect(stdout.split("\n")[0]).toBe("2026-01-23: 6 notes of sessions")
  expect(stdout).toContain(`attempt, failure      Warm up the relay before dusk — Electrician  ${notesPath}:`)
  const opened = stdout.split("\n").filter((line) => line.includes("left open "))
  expect(opened.map((line) => line.trimStart().replace(/ — .*/, "").replace(/ {2,}/g, "  "))).toEqual([
    "left open  attempt  Replace the relay by a triac; next: Order a heat sink",
    "left open  blocker  The heat sink is out of stock",
    "left open  question  Who owns the attic key?",
    "left open  next step  Measure the leakage",
  ])
  const document = JSON.parse((await run("recent", "--json", "--agent", "tester")).stdout)
  expect(document).toMatchObject({ entries: [], logs: [], open: [] })
  expect(document.notes).toEqual([
    {
      id: `s:${session}/tester/discovery-001`,
      source: "session",
      type: "discovery",
      title: "With a triac the lamp is lit within 20 ms",
      author: "Tester",
      path: testerPath,
      line: 7,
      date: "2026-01-23T10:50:00.000Z",
      session,
    },
  ])
})

test("what is added, edited, archived and removed is noticed by the next search", async () => {
  const { root, home, drey } = openTeam(files)
  expect(await titlesOf(drey, "copper plate")).not.toContain("Cool the triac with a copper plate")
  writeFileSync(join(root, notesPath), oneMore)
  expect((await titlesOf(drey, "copper plate"))[0]).toBe("Cool the triac with a copper plate")
  renameSync(join(root, notesPath), join(root, archivePath))
  const [archived] = (await find(drey, "copper plate")).hits
  expect(archived).toMatchObject({ id: `s:${session}/attempt-003`, path: archivePath })
  const other = notesPath.replace("abc1def2", "00aa11bb")
  mkdirSync(join(root, other, ".."), { recursive: true })
  writeFileSync(join(root, other), testerNotes.replace("With a triac", "In the cellar"))
  expect(await titlesOf(reopen(root, home).drey, "cellar lamp")).toContain("In the cellar the lamp is lit within 20 ms")
  rmSync(join(root, ".squad/sessions"), { recursive: true })
  expect(await titlesOf(drey, "source:session lamp")).toEqual([])
})

test("the filters know sessions: by source, by agent, by tag, and not", async () => {
  const { drey } = openTeam(files)
  expect(await titlesOf(drey, "source:session tag:failure")).toEqual(["Warm up the relay before dusk"])
  expect(await titlesOf(drey, "source:session", "tester")).toEqual(["With a triac the lamp is lit within 20 ms"])
  expect(await titlesOf(drey, "source:session type:decision")).toEqual(["Switch lamps without moving parts"])
  expect(await titlesOf(drey, "-source:session relay triac")).not.toContain("Replace the relay by a triac")
})

test("an entry that an archiving cut short left in two files is shown once", async () => {
  const { drey } = openTeam({ ...files, [archivePath]: electricianNotes })
  const found = await titlesOf(drey, "source:session welded relay")
  expect(found.filter((title) => title === "Warm up the relay before dusk")).toHaveLength(1)
})

test("a context has nothing of a session, whatever it is about", async () => {
  const { drey } = openTeam(files)
  await find(drey, "relay")
  for (const agent of [undefined, "Electrician"]) {
    const { context } = await drey.context.build({
      agent,
      task: "Replace the sticking relay by a triac, cool it with a heat sink",
    })
    expect(context.included.filter(({ source }) => source === "session")).toEqual([])
    expect(context.text).not.toContain("triac")
    const { context: untold } = await drey.context.build({ agent })
    expect(untold.included.filter(({ source }) => source === "session")).toEqual([])
  }
})

test("an unreadable session file is reported by a search, which finds the rest, and does not affect a context", async () => {
  const { root, home, drey } = openTeam({ ...files, [notesPath]: `${electricianNotes}attempts: [` })
  const { hits, unreadable } = await find(drey, "lamp triac")
  expect(hits.map(({ title }) => title)).toContain("With a triac the lamp is lit within 20 ms")
  expect(unreadable).toEqual([{ path: notesPath, message: expect.stringMatching(/agent-memory\.yaml:\d+:\d+ cannot/) }])
  expect((await drey.context.build({ task: "tokens" })).unreadable).toEqual([])
  const { stdout, stderr } = await runWarm(["search", "tokens"], { cwd: root, env: { DREY_HOME: home } })
  expect(stdout).toContain("Log in with short tokens")
  expect(stderr).toContain(notesPath)
  writeFileSync(join(root, notesPath), electricianNotes)
  expect((await find(drey, "welded")).unreadable).toEqual([])
})

test("sessions are looked for in the configured folder", async () => {
  const { drey } = openTeam({
    ...teamFiles,
    ".squad/config.json": JSON.stringify({ drey: { sessions: { root: "work/sessions" } } }),
    [notesPath.replace(".squad", "work")]: electricianNotes,
  })
  expect(await titlesOf(drey, "welded")).toContain("Warm up the relay before dusk")
})

test("a setting that leads out of the repository is reported, and the rest is found", async () => {
  const config = JSON.stringify({ drey: { sessions: { root: "../elsewhere" } } })
  const { drey, told } = openTeam({ ...files, ".squad/config.json": config })
  expect(await titlesOf(drey, "short tokens")).toContain("Log in with short tokens")
  expect(told.join("\n")).toMatch(/session notes are skipped: .*is not inside the repository/)
})

test("a search by the quick way knows of a session that has begun since", async () => {
  const root = makeRepository(files)
  const { run } = warmCliIn(root)
  const farAhead = new Date("2099-01-01") // a file that has just changed is looked at again, one ahead of the clock is not
  for (const path of Object.keys(files)) utimesSync(join(root, path), farAhead, farAhead)
  await run("search", "lamp")
  const quick = await run("search", "welded")
  expect(quick).toEqual(await run("search", "welded", "--root=.")) // a form that only the long way knows
  expect(quick.stdout).toContain("attempt, failure (session)")
  writeFileSync(join(root, notesPath), oneMore)
  expect((await run("search", "copper")).stdout).toContain("Cool the triac with a copper plate")
})

test("an unreadable session folder is reported, and the rest is found", async () => {
  const root = makeRepository(files)
  const home = makeRepository({})
  const folder = join(root, notesPath, "..")
  for (const path of [root, home]) chmodSync(path, 0o777)
  chmodSync(folder, 0o700)
  const nobody = process.getuid?.() === 0 ? { uid: 65534 } : {}
  if ("uid" in nobody)
    chownSync(join(root, ".squad"), 65534, 65534) // the team folder of another user is refused
  else chmodSync(folder, 0)
  const { code, stdout, stderr } = await runWarm(["search", "tokens"], {
    cwd: root,
    env: { DREY_HOME: home },
    ...nobody,
  })
  chmodSync(folder, 0o700)
  expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.stringContaining("Log in with short tokens") })
  expect(stderr).toContain(`.squad/sessions/${session}/agent-memory.yaml`)
})
