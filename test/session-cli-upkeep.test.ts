import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import { writeFiles } from "./run-cli.ts"
import { refuses, sessionShell, started } from "./session-shell.ts"
import { runWarm } from "./warm-cli.ts"

describe("upkeep", () => {
  test("list shows all sessions, or those that have not ended", async () => {
    const { root, say, ask } = sessionShell()
    const morning = { root, now: () => new Date("2026-03-10T06:00:00Z") } // those of one second have no order
    const { id } = await openDrey(morning).sessions.start({ task: "Send the report", agent: "developer" })
    await say("end", id, "--graduate", "off")
    const { id: second } = await ask<{ id: string }>("start", "Another")
    expect((await ask<{ id: string }[]>("list")).map((each) => each.id)).toEqual([second, id])
    expect(await ask("list", "--active")).toMatchObject([{ id: second, kind: "readable" }])
    expect(await say("list")).toMatch(
      new RegExp(`^${second}  active {5}Another — .*\n${id}  complete {3}Send the report — .*\n$`),
    )
  })

  test("end closes the session with a summary", async () => {
    const { say, ask, run, id } = await started()
    await say("attempt", "start", "Draw it")
    const ended = ["end", id.slice(0, 24), "--status", "failed", "--summary", "No key", "--graduate", "off"]
    expect(await say(...ended)).toBe(`Ended ${id}: failed, 0 discoveries, 1 attempt, 0 decisions.\n`)
    expect(await ask("show", id)).toMatchObject({ metadata: { status: "failed", resultSummary: "No key" } })
    await refuses(run, [
      [["end", id, "--status", "great"], 2, /complete, failed, cancelled/],
      [["end", id, "--graduate", "maybe"], 2, /ask, auto, off/],
    ])
  })

  test("end asks what to keep, graduate keeps it once", async () => {
    const { say, ask, run, id, root } = await started()
    const flags = ["--type", "architectural", "--impact", "high", "--reasoning", "The image has no browser"]
    await say("decide", "Draw the report of each month with pdf-lib", ...flags)
    const ended = await say("end")
    expect(ended).toContain("developer/decision-001  decision: Draw the report of each month with pdf-lib")
    expect(ended).toContain(`drey session graduate ${id} --yes`)
    expect(await ask("graduate", id)).toMatchObject({ session: id, proposals: [{ target: "inbox" }], graduated: [] })
    await refuses(run, [
      [["graduate", id, "--yes", "--only", "decision-001"], 2, /cannot be combined/],
      [["graduate", id, "--only", "decision-009"], 1, /decision-009/],
    ])
    expect(await say("graduate", id, "--only", "decision-001")).toMatch(/^Kept developer\/decision-001 as a proposal/)
    expect(readdirSync(join(root, ".squad/decisions/inbox"))).toHaveLength(1)
    expect(await say("graduate", id, "--yes")).toBe(`Nothing else in ${id} is worth keeping.\n`)
  })

  test("what is chosen but refused exits with 1", async () => {
    const { say, run, id } = await started({ ".rawko/config.yaml": "" })
    await say("decide", "Draw the report of each month with pdf-lib", "--type", "architectural", "--impact", "high")
    const { code, stdout } = await run(["graduate", id, "--yes"])
    expect(stdout).toMatch(/Not kept: developer\/decision-001 \(.*team folder/)
    expect(code).toBe(1)
  })

  test("archive reports that nothing is due", async () => {
    const { say, ask, id } = await started()
    expect(await say("archive", "--dry-run")).toBe(`Nothing in ${id} is old enough to archive.\n`)
    expect(await ask("archive", id)).toMatchObject({ session: id, dryRun: false, archivings: expect.any(Array) })
  })

  test("export prints one document or writes it readable by its owner only", async () => {
    const { say, ask, run, root, id } = await started()
    await say("say", "Hello", "--role", "user")
    expect(JSON.parse(await say("export"))).toMatchObject({ id, messages: [{ content: "Hello" }], agents: [{}] })
    const out = join(root, "session.json")
    expect(await ask("export", id, "--out", "session.json")).toMatchObject({ session: id, path: out })
    expect(JSON.parse(readFileSync(out, "utf8"))).toMatchObject({ id })
    expect(statSync(out).mode & 0o777).toBe(0o600)
    await refuses(run, [
      [["export", "--format", "xml"], 2, /json/],
      [["export", "--out", "missing/session.json"], 2, /cannot be written/],
    ])
  })

  test("cleanup only lists, until it is confirmed", async () => {
    const { root, say, ask, run } = sessionShell()
    for (let day = 10; day < 22; day++) await oldSession(root, `202401${day}-100000-0000000${day % 10}-old`)
    expect(await ask("cleanup", "--older-than", "30d")).toMatchObject({ due: [{}, {}], kept: 10, removed: [] })
    expect(await say("cleanup")).toMatch(/^2 sessions would be removed:[\s\S]*confirm with --yes\.\n$/)
    expect(await say("cleanup", "--yes")).toMatch(/^Removed 2 sessions:/)
    expect(await ask<object[]>("list")).toHaveLength(10)
    await refuses(run, [
      [["cleanup", "--older-than", "soon"], 2, /is not a time/],
      [["cleanup", "--keep", "few"], 2, /is not a number of sessions/],
    ])
  })

  async function oldSession(root: string, id: string): Promise<void> {
    const time = "2024-01-10T10:00:00.000Z"
    const head = (schema: string) => `version: "1"\nschema: ${schema}\nsessionId: ${id}\n`
    writeFiles(join(root, ".squad/sessions", id), {
      "agent-memory.yaml": `${head("agent-memory")}agent: developer\ncreatedAt: "${time}"\n`,
      "context.yaml": `${head("session-context")}state: complete\ntask: Old\nstartedAt: "${time}"\n`,
    })
  }
})

describe("validate", () => {
  test("0: all is well, or only worth a word", async () => {
    const { say, ask, folder } = await started()
    expect(await say("validate")).toBe("3 files: 0 errors, 0 warnings.\n")
    await say("decide", "Draw the PDF", "--type", "skip", "--discovery", "discovery-404")
    expect(await say("validate", folder)).toMatch(/agent-memory\.yaml:\d+:\d+ {2}warning {2}.*discovery-404/)
    expect(await ask("validate", join(folder, "agent-memory.yaml"))).toMatchObject({ errors: 0, warnings: 1 })
  })

  test("1: something is wrong, or with --strict not quite right", async () => {
    const { say, run, folder } = await started()
    await say("decide", "Draw the PDF", "--type", "skip", "--discovery", "discovery-404")
    expect((await run(["validate", "--strict"])).code).toBe(1)
    const path = join(folder, "agent-memory.yaml")
    writeFileSync(path, readFileSync(path, "utf8").replace("decision-001", "").replace('type: "skip"', "type: []"))
    const { code, stdout } = await run(["validate"])
    expect(code).toBe(1)
    expect(stdout).toMatch(/agent-memory\.yaml:\d+:\d+ {2}error {2}decisions\[0\]\.type/)
  })

  test("2: a file cannot be read, or is of a newer version", async () => {
    const { run, folder } = await started()
    expect((await run(["validate", "missing.yaml"])).code).toBe(2)
    const path = join(folder, "agent-memory.yaml")
    writeFileSync(path, readFileSync(path, "utf8").replace('version: "1"', 'version: "2"'))
    expect((await run(["validate"])).code).toBe(2)
  })
})

describe("a file that cannot be read", () => {
  async function broken() {
    const it = await started()
    const path = join(it.folder, "agent-memory.yaml")
    writeFileSync(path, `${readFileSync(path, "utf8")}context:\n  blockers: [\n`)
    return { ...it, path, before: readFileSync(path, "utf8") }
  }

  test("is not changed; the place is reported", async () => {
    const { run, path, before } = await broken()
    const commands = [["show"], ["discover", "x", "--type", "code_pattern"], ["prompt"], ["end"]]
    await refuses(
      run,
      commands.map((args) => [args, 2, /agent-memory\.yaml:\d+:\d+ /]),
    )
    expect(readFileSync(path, "utf8")).toBe(before)
  })

  test("does not keep another agent from writing", async () => {
    const { run } = await broken()
    const { code, stdout } = await run(["discover", "x", "--type", "code_pattern", "--agent", "tester"])
    expect([code, stdout]).toEqual([0, "discovery-001\n"])
  })

  test("gives way with --set-aside, and is kept", async () => {
    const { run, folder, before } = await broken()
    const { code, stdout } = await run(["discover", "x", "--type", "code_pattern", "--set-aside"])
    expect([code, stdout]).toEqual([0, "discovery-001\n"])
    const kept = readdirSync(folder).find((name) => name.includes(".corrupt-")) ?? ""
    expect(readFileSync(join(folder, kept), "utf8")).toBe(before)
  })

  test("is reported by doctor", async () => {
    const { root } = await broken()
    const { stdout } = await runWarm(["doctor", "--json"], { cwd: root })
    const { checks } = JSON.parse(stdout)
    expect(checks).toContainEqual({
      name: "sessions",
      status: "warn",
      message: expect.stringContaining("agent-memory.yaml"),
    })
  })
})
