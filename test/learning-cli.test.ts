import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { claudeSession } from "./claude-session.ts"
import { type LearningPlace, learningPlace, say } from "./learning-place.ts"
import { type CliResult, makeRepository, readTree, runCli, writeFiles } from "./run-cli.ts"

/** Told in a sentence, with nothing on stdout and no trace of the program's insides. */
function expectRefusal({ code, stdout, stderr }: CliResult, expected: number, message: RegExp): void {
  expect(stderr).toMatch(message)
  expect([code, stdout]).toEqual([expected, ""])
  expect(stderr).toMatch(/^drey: /)
  expect(stderr).not.toMatch(/^ {4}at /m)
}

async function taught(): Promise<LearningPlace & { id: string }> {
  const it = learningPlace({
    files: { ".squad/decisions.md": "### 2026-02-01T10:00:00Z: decision: Use doors\n\nDoors, not windows.\n" },
  })
  say(it, "we use pnpm here, not npm")
  await runCli(["ingest"], { cwd: it.root, env: it.env }) // its database is closed when this ends
  return { ...it, id: it.rows<{ memory_id: string }>("SELECT memory_id FROM memories")[0]?.memory_id ?? "" }
}

describe("every command answers with one JSON document", () => {
  const documents: [string[], object][] = [
    [["ingest"], { files: 0, records: 0, unknown: {}, events: 0, episodes: 0, memories: 0, skipped: 0 }],
    [["replay"], { files: 0, records: 0, unknown: {}, events: 0, episodes: 0, memories: 0, skipped: 0 }],
    [["flush"], { episodes: 0 }],
    [["evaluate"], { decisions: [] }],
    [["evaluate", "--dry-run"], { decisions: [] }],
    [["status"], { counts: { memories: { provisional: 1 } }, writer: "rules" }],
    [["status", "--review"], { review: [] }],
    [["policy"], { policy: { writer: { max_memories_per_episode: 3 } }, files: [], warnings: [] }],
    [["policy", "show"], { files: [] }],
    [["policy", "reload"], { running: false }],
    [["pause"], { paused: "everything", isNew: true }],
    [["resume"], { resumed: true, paused: null }],
    [["resume"], { resumed: false, paused: null }],
    [["watch", "--stop"], { stopped: false }],
  ]
  test("about nothing new", async () => {
    const it = await taught()
    for (const [args, document] of documents) expect(await it.runJson(...args), args.join(" ")).toMatchObject(document)
    expect(await it.runJson("pin", it.id)).toMatchObject({ pinned: true })
    expect(await it.runJson("why", it.id)).toMatchObject({ memory: { id: it.id, pinned: true } })
    expect(await it.runJson("forget", it.id)).toMatchObject({ forgotten: [it.id] })
  })

  test("and in words without it, the same before anything was learned", async () => {
    const it = learningPlace()
    for (const args of [
      ["status"],
      ["evaluate"],
      ["flush"],
      ["replay"],
      ["ingest"],
      ["policy"],
      ["status", "--review"],
    ]) {
      const { code, stdout, stderr } = await it.run(...args)
      expect([code, stderr]).toEqual([0, ""])
      expect(stdout.trim()).not.toBe("")
    }
  })
})

describe("status --all", () => {
  test("lists every memory that is on trial or proven", async () => {
    const it = await taught()
    const { code, stdout } = await it.run("status", "--all")
    expect([code, stdout.split("\n").length]).toEqual([0, 2])
    expect(stdout).toMatch(/^m:[0-9a-f]{4} {2}trial {3}\w+: .*pnpm.*\n$/)
    expect(await it.runJson("status", "--all")).toMatchObject({ memories: [{ id: it.id }] })
    await it.run("forget", it.id)
    expect((await it.run("status", "--all")).stdout).toBe("No memories yet.\n")
  })

  test("cannot be combined with --review", async () => {
    const { code, stderr } = await learningPlace().run("status", "--all", "--review")
    expect(stderr).toMatch(/cannot be used with/)
    expect(code).toBe(2)
  })
})

describe("names", () => {
  test("a missing transcript and a file that is not a transcript get different errors", async () => {
    const it = learningPlace({ files: { "notes.txt": "hello\n", "empty.jsonl": "" } })
    expectRefusal(
      await it.run("ingest", "nowhere.jsonl"),
      2,
      /nowhere\.jsonl (?:does not exist|is not there)|no such file/i,
    )
    expectRefusal(await it.run("ingest", "notes.txt"), 2, /notes\.txt is not a transcript/)
    expectRefusal(await it.run("ingest", ".squad"), 2, /\.squad is not a transcript/)
    expectRefusal(await it.run("ingest", "empty.jsonl"), 2, /empty\.jsonl/)
  })

  test("an unknown id ends with 1, in every command that takes one", async () => {
    const it = await taught()
    for (const args of [["why"], ["pin"], ["forget"], ["forget", "--purge"]])
      expectRefusal(await it.run(...args, "m:000000"), 1, /Memory m:000000 not found/)
    for (const args of [
      ["why", it.id.slice(0, 8)],
      ["why", `m:${it.id.slice(2, 8)}`],
      ["pin", it.id.slice(0, 10)],
    ])
      expect((await it.run(...args)).code).toBe(0)
    expectRefusal(await it.run("forget", "zeppelins"), 1, /Nothing matches "zeppelins"/)
  })

  test("search results are forgotten only when the user confirms", async () => {
    const it = await taught()
    const asked = await it.run("forget", "pnpm")
    expect([asked.code, asked.stdout]).toEqual([1, ""])
    expect(asked.stderr).toContain(it.id.slice(2, 6))
    expect(asked.stderr).toContain("--yes")
    expect(it.rows("SELECT status FROM memories")).toEqual([{ status: "provisional" }])
    expect(await it.runJson("forget", "pnpm", "--yes")).toMatchObject({ forgotten: [it.id] })
    expect(it.rows("SELECT status FROM memories")).toEqual([{ status: "deprecated" }])
  })

  test("outside of a repository every command says so", async () => {
    const cwd = makeRepository({})
    for (const command of ["ingest", "replay", "flush", "evaluate", "status", "policy", "pause"])
      expectRefusal(await runCli([command], { cwd }), 2, /has no \.squad folder/)
  })
})

describe("a pause", () => {
  test("of the project stops reading here alone; what was written meanwhile is read afterwards", async () => {
    const it = learningPlace()
    const other = learningPlace({ home: it.home })
    say(it, "we use pnpm here, not npm", { session: "one" })
    say(other, "we use poetry here, not pip", { session: "two" })
    await it.runJson("pause", "--project")
    expect(await it.runJson("ingest")).toMatchObject({ records: 0, paused: [{ of: "project" }] })
    expect(await it.runJson("flush")).toMatchObject({ episodes: 0 })
    expect((await it.run("status")).stdout).toMatch(/^paused +Learning is paused in /m)
    expect(await other.runJson("ingest")).toMatchObject({ memories: 1 })
    await it.runJson("resume", "--project")
    expect(await it.runJson("ingest")).toMatchObject({ memories: 1 })
  })

  test("leaves what was learned in use", async () => {
    const it = await taught()
    await it.runJson("pause")
    expect((await it.run("context", "--task", "Install a package")).stdout).toContain("pnpm")
  })
})

describe("a damaged", () => {
  test("policy is reported with file and line by every command that needs it", async () => {
    const it = await taught()
    writeFiles(it.root, { ".squad/memory/memory_policy.toml": "[promotion]\nguard = { min_opportunities = 4\n" })
    for (const command of ["policy", "ingest", "evaluate"])
      expectRefusal(await it.run(command), 2, /\.squad\/memory\/memory_policy\.toml:\d+ is not TOML/)
    writeFiles(it.root, { ".squad/memory/memory_policy.toml": '[promotion]\nguard = { min_opportunities = "many" }\n' })
    expectRefusal(
      await it.run("policy"),
      2,
      /memory_policy\.toml:2 promotion\.guard\.min_opportunities must be a number/,
    )
  })

  test("policy costs an agent no context", async () => {
    const it = await taught()
    writeFiles(it.root, { ".squad/memory/memory_policy.toml": "[promotion\n" })
    const { code, stdout, stderr } = await it.run("context", "--task", "Choose between doors and windows")
    expect([code, stdout]).toEqual([0, expect.stringContaining("Use doors")])
    expect(stderr).toContain("memory_policy.toml")
  })

  test("policy with a section that does not exist is a warning", async () => {
    const it = learningPlace({ files: { ".squad/memory/memory_policy.toml": "[promotions]\nx = 1\n" } })
    const { code, stderr } = await it.run("policy")
    expect(code).toBe(0)
    expect(stderr).toMatch(/memory_policy\.toml.*promotions/)
  })

  const damage: Record<string, (path: string) => void> = {
    "with other bytes": (path) => writeFileSync(path, "This is no database.\n".repeat(300)),
    "cut off": (path) => truncateSync(path, 5000),
    empty: (path) => truncateSync(path, 0),
  }
  test.each(Object.entries(damage))(
    "database (%s) is told, left as it is, and mended by nobody",
    async (name, harm) => {
      const it = await taught()
      harm(it.database)
      const before = readFileSync(it.database)
      if (name === "empty") return expect((await it.run("status")).code).toBe(0) // as if nothing had been learned yet
      for (const args of [["status"], ["ingest"], ["evaluate"], ["why", it.id], ["pin", it.id]]) {
        const refused = await it.run(...args)
        expectRefusal(refused, 2, /drey\.db is (?:not a SQLite database|damaged)/)
        expect(refused.stderr, "what to do about it").toMatch(/\n {2}\S/)
      }
      expect(readFileSync(it.database).equals(before)).toBe(true)
    },
  )

  test("database leaves the team's memory available, and the index is not rebuilt", async () => {
    const it = await taught()
    expect((await runCli(["search", "doors"], { cwd: it.root, env: it.env })).code).toBe(0)
    writeFileSync(it.database, "This is no database.\n".repeat(300))
    const found = await it.run("search", "doors")
    expect([found.code, found.stdout]).toEqual([0, expect.stringContaining("Use doors")])
    const context = await it.run("context", "--task", "Choose between doors and windows")
    expect([context.code, context.stdout]).toEqual([0, expect.stringContaining("Use doors")])
    expect(context.stderr).toContain("drey.db")
    expect(readdirSync(join(it.env.DREY_HOME, "index")).filter((name) => name.includes("aside"))).toEqual([])
  })

  test("database is one line of the doctor's, not the end of it", async () => {
    const it = await taught()
    writeFileSync(it.database, "This is no database.\n".repeat(300))
    const { stdout } = await it.run("doctor", "--json")
    expect(stdout).toContain("drey.db")
    expect(JSON.parse(stdout).checks.length).toBeGreaterThan(3)
  })

  test("setting of the writer names its file and the allowed values", async () => {
    const it = learningPlace()
    mkdirSync(it.env.DREY_HOME, { recursive: true })
    writeFileSync(join(it.env.DREY_HOME, "config.json"), '{"writer":{"kind":"magic"}}')
    expectRefusal(await it.run("ingest"), 2, /\.drey\/config\.json.*auto, rules, model, command/s)
  })

  test("transcript is read as far as it can be, and what could not be read is counted", async () => {
    const it = learningPlace()
    const session = claudeSession(it.home, { cwd: it.root, session: "odd", start: "2026-03-01T09:00:00Z" })
    session.user("Show the sum of all rows")
    appendFileSync(session.path, 'not JSON\n\n\0\0\n{"type":"user"\n[1,2]\nnull\n42\n')
    appendFileSync(session.path, Buffer.from([0x7b, 0xff, 0xfe, 0x0a]))
    session.record({ type: "brand-new-thing" })
    session.record({ type: "user", message: null })
    session.record({ type: "assistant", message: { role: "assistant", content: "words without blocks" } })
    session.record({ type: "user", timestamp: "no time", message: { role: "user", content: "x".repeat(2_000_000) } })
    session.use("Bash", {}, "")
    session.user("never push to main")
    appendFileSync(session.path, '{"type":"user","uuid":"half of a rec')
    const read = await it.runJson<{ unknown: Record<string, number>; memories: number; unreadable: unknown[] }>(
      "ingest",
    )
    expect(read).toMatchObject({
      memories: 1,
      unreadable: [],
      unknown: { "claude-code: unreadable": expect.any(Number), "claude-code: brand-new-thing": 1 },
    })
    expect(read.unknown["claude-code: unreadable"]).toBeGreaterThan(4)
  })
})

/** Read-only from now on; root can write everywhere, so if the tests run as root the command runs as the user nobody. */
function forbid(folder: string, mode: number): { uid?: number } {
  const nobody = 65534
  const isRoot = process.getuid?.() === 0
  for (const path of [...Object.keys(readTree(folder)), "."]) {
    if (isRoot) chownSync(join(folder, path), nobody, nobody)
    chmodSync(join(folder, path), mode)
  }
  return isRoot ? { uid: nobody } : {}
}

test("in a read-only home a context still contains what was learned, and learning reports why it cannot continue", async () => {
  const it = await taught()
  say(it, "we use podman here", { session: "more" })
  const asked = ["context", "--task", "Install a package", "--json"]
  expect(JSON.parse((await it.run(...asked)).stdout).included).toContainEqual(expect.objectContaining({ id: it.id }))
  const user = forbid(it.root, 0o755)
  forbid(it.home, 0o555)
  const again = (...args: string[]) => runCli(args, { cwd: it.root, env: it.env, ...user })
  try {
    const context = await again(...asked)
    expect(context.code).toBe(0)
    expect(JSON.parse(context.stdout).included).toContainEqual(expect.objectContaining({ id: it.id }))
    const status = await again("status")
    expect([status.code, status.stdout]).toEqual([0, expect.stringContaining("1 on trial")])
    expect((await again("why", it.id)).code).toBe(0)
    for (const args of [["ingest"], ["pin", it.id], ["forget", it.id], ["pause"]]) {
      const { code, stderr } = await again(...args)
      expect([code, args], stderr).toEqual([2, args])
      expect(stderr).toMatch(/permission|written|read-only/)
      expect(stderr).not.toMatch(/^ {4}at /m)
    }
  } finally {
    for (const path of [...Object.keys(readTree(it.home)), "."]) chmodSync(join(it.home, path), 0o755)
  }
})
