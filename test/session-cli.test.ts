import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type CliResult, readTree, runGit } from "./run-cli.ts"
import { expectRefusal, refuses, sessionShell, started } from "./session-shell.ts"

const sessionId = /^\d{8}-\d{6}-[0-9a-f]{8}-[a-z0-9-]+$/

describe("start", () => {
  test("prints the new session's id alone, and its folder beside it", async () => {
    const { run } = sessionShell()
    const { code, stdout, stderr } = await run(["start", "Send", "the", "report", "--agent", "developer"])
    expect(code).toBe(0)
    expect(stdout.trimEnd()).toMatch(sessionId)
    expect(stderr).toContain(`.squad/sessions/${stdout.trimEnd()}`)
  })

  test("as JSON prints id, folder and agent", async () => {
    const { root, ask } = sessionShell()
    const { id, folder, agent } = await ask<Record<string, string>>("start", "Send the report")
    expect(id).toMatch(sessionId)
    expect([folder, agent]).toEqual([join(root, ".squad", "sessions", id ?? ""), "agent"])
  })

  test("takes the task from stdin, and refuses to begin without one", async () => {
    const { run } = sessionShell()
    expect((await run(["start"], { input: "Send the report\n" })).stdout).toContain("-send-the-report")
    expectRefusal(await run(["start"]), 2, /There is no task/)
  })

  test.each([
    ["a git repository", ".squad/sessions", { ".git/HEAD": "ref: refs/heads/main\n" }],
    ["a repository of an orchestrator, from a folder below", ".rawko/sessions", { ".rawko/config.yaml": "" }],
    ["an older team folder", ".ai-team/sessions", { ".ai-team/team.md": "" }],
    ["a team folder", ".squad/sessions", { ".squad/team.md": "" }],
    [
      "a project that says where",
      "work/notes",
      { ".squad/config.json": '{"drey":{"sessions":{"root":"work/notes"}}}' },
    ],
  ])("works in %s and touches nothing that is there", async (_, expected, files) => {
    const { root, run } = sessionShell({ "src/index.ts": "", ...files })
    const before = readTree(root)
    const { stdout } = await run(["start", "Send the report", "--json"], { cwd: join(root, "src") })
    expect(JSON.parse(stdout).folder).toBe(join(root, expected, JSON.parse(stdout).id))
    expect(readTree(root)).toMatchObject(before)
    expect(await run(["list"])).toMatchObject({ code: 0, stdout: expect.stringContaining(JSON.parse(stdout).id) })
  })

  test("git sees nothing of a session", async () => {
    const { root, say } = sessionShell({ "README.md": "" })
    runGit(root, "init", "-q")
    runGit(root, "add", ".")
    await say("start", "Send the report")
    expect(runGit(root, "status", "--short", "--untracked-files=all")).toBe("A  README.md\n")
  })

  test("a setting that leads out of the repository is refused", async () => {
    const { run } = sessionShell({ ".squad/config.json": '{"drey":{"sessions":{"root":"../elsewhere"}}}' })
    expectRefusal(await run(["start", "Send the report"]), 2, /is not inside the repository/)
  })
})

describe("the session that is meant", () => {
  const discover = ["discover", "It is slow", "--type", "code_pattern"]

  test("is the only one that has not ended", async () => {
    const { say, id } = await started()
    await say("end", id, "--graduate", "off")
    const { id: second } = JSON.parse(await say("start", "Another", "--json"))
    expect(JSON.parse(await say(...discover, "--json")).session).toBe(second)
  })

  test("is named by the beginning of its id, by --session or by DREY_SESSION", async () => {
    const { run, id } = await started()
    const { id: other } = JSON.parse((await run(["start", "Another", "--json"])).stdout)
    const sessionOf = ({ stdout }: CliResult) => JSON.parse(stdout).session
    expect(sessionOf(await run([...discover, "--session", id.slice(0, 24), "--json"]))).toBe(id)
    expect(sessionOf(await run([...discover, "--json"], { env: { DREY_SESSION: id } }))).toBe(id)
    const both = { env: { DREY_SESSION: other } }
    expect(sessionOf(await run([...discover, "--session", id, "--json"], both))).toBe(id)
  })

  test("must be said when there are two, and must be there", async () => {
    const { run, id, root } = await started()
    await run(["start", "Another"])
    const before = readTree(root)
    await refuses(run, [
      [discover, 2, /Several sessions are active[\s\S]*--session/],
      [[...discover, "--session", "19990101"], 1, /There is no session that begins with 19990101/],
      [[...discover, "--session", id.slice(0, 4)], 2, /2 sessions begin with/],
    ])
    const paths = ["../..", "/etc", `../sessions/${id}`, "a\\b", ".."]
    const message = /is not a session id/
    await refuses(
      run,
      paths.map((path) => [[...discover, "--session", path], 2, message]),
    )
    expect(readTree(root)).toEqual(before)
  })

  test("cannot be found where there is none", async () => {
    const { run } = sessionShell()
    const commands = [discover, ["show"], ["prompt"], ["arbiter"], ["end"], ["plan"], ["context"], ["graduate"]]
    const message = /No session is active[\s\S]*drey session start/
    await refuses(
      run,
      commands.map((args) => [args, 1, message]),
    )
    expect(await run(["list"])).toMatchObject({ code: 0, stdout: "", stderr: expect.stringMatching(/No sessions/) })
  })

  test("an empty variable of the environment names nothing", async () => {
    const { run, id } = await started()
    const env = { DREY_SESSION: "", DREY_AGENT: "" }
    const { stdout } = await run([...discover, "--json"], { env })
    expect(JSON.parse(stdout)).toMatchObject({ session: id, agent: "developer" })
  })
})

describe("prompts", () => {
  async function failed() {
    const it = await started()
    await it.say("discover", "Mails leave through one queue", "--type", "code_pattern")
    await it.say("attempt", "start", "Render the PDF in headless Chromium")
    await it.say("attempt", "finish", "attempt-001", "--result", "failure", "--error", "Chromium is not in the image")
    return it
  }

  test("an agent's own is followed by the memory of the session, with what failed for the others", async () => {
    const { run, say } = await failed()
    const { stdout } = await run(["prompt", "--agent", "tester"], { input: "You are the tester.\n" })
    expect(stdout).toBe(`You are the tester.

## Prior Context from This Session

## Recently Failed Approaches (Don't Repeat)
- Render the PDF in headless Chromium (developer): Chromium is not in the image

Use this context to avoid repeating discoveries or failed approaches.
`)
    expect(await say("prompt", "You are the tester.", "--agent", "tester", "--own")).toBe("You are the tester.\n")
    expect(await say("prompt", "--heading-level", "3")).toMatch(/^## Prior[\s\S]*^### Key Discoveries$/m)
  })

  test("are JSON documents too", async () => {
    const { ask, id } = await failed()
    expect(await ask("prompt", "Hello")).toMatchObject({
      session: id,
      agent: "developer",
      text: expect.stringMatching(/^Hello\n\n## Prior Context/),
    })
    expect(await ask("arbiter", "--approach", "Headless Chromium renders the PDF", "--topic", "queue")).toMatchObject({
      session: id,
      text: expect.stringContaining("**developer**: Last attempt (failure) - Render the PDF in headless Chromium"),
      similar: [{ attemptId: "attempt-001" }],
      discoveries: [{ agent: "developer", discovery: { id: "discovery-001" } }],
      recurring: [],
    })
  })

  test("the arbiter's begins with the question", async () => {
    const { say } = await failed()
    const text = await say("arbiter", "Who", "goes", "on?", "--approach", "Headless Chromium renders the PDF")
    expect(text).toMatch(/^Who goes on\?\n\n## Previous Agent Work This Session\n\n\*\*developer\*\*/)
    expect(text).toContain("⚠ similar to failed attempt-001 (developer): Chromium is not in the image")
  })
})

describe("show", () => {
  async function worked() {
    const it = await started()
    await it.say("discover", "Mails leave through one queue", "--type", "code_pattern")
    await it.say("attempt", "start", "Render the PDF in Chromium")
    await it.say("attempt", "finish", "attempt-001", "--result", "failure", "--error", "No browser")
    await it.say("decide", "Draw the PDF", "--type", "skip", "--discovery", "discovery-001", "--attempt", "attempt-001")
    return it
  }

  test("of a session names every entry, by any way of naming the session", async () => {
    const { say, ask, id } = await worked()
    const text = await say("show")
    expect(text).toMatch(/^Send the report \[/)
    expect(text).toContain("attempt-001  failure: Render the PDF in Chromium — No browser")
    expect(await say("show", id)).toBe(text)
    expect(await say("show", "--session", id.slice(0, 24))).toBe(text)
    expect(await ask("show")).toMatchObject({ id, metadata: { status: "active" }, agents: [{ agent: "developer" }] })
  })

  test("of an entry shows its fields, of a trace what it is linked with", async () => {
    const { say, ask, run, id } = await worked()
    expect(await say("show", "attempt-001")).toMatch(/^attempt-001 developer, [\s\S]*^error +No browser$/m)
    expect(await ask("show", "attempt-001")).toMatchObject({
      session: id,
      kind: "attempt",
      entry: { id: "attempt-001" },
    })
    const trace = await say("show", "attempt-001", "--trace")
    expect(trace.split("\n").map((line) => line.trim().replace(/ \(developer\).*/, ""))).toEqual([
      "attempt-001",
      "led to decision-001",
      "rests on discovery-001",
      "",
    ])
    expect(await ask("show", "attempt-001", "--trace")).toMatchObject({ start: { kind: "attempt" }, missing: [] })
    await refuses(run, [
      [["show", "attempt-777"], 1, /no entry attempt-777/],
      [["show", "--trace"], 2, /needs an entry's id/],
    ])
  })

  test("is not coloured, and steers no terminal, when it goes to a file", async () => {
    const { say, run } = await worked()
    await run(["discover", "--type", "code_pattern"], { input: "Red \u001b[31malert" })
    for (const args of [["show"], ["show", "discovery-002"], ["list"], ["plan"], ["context"]])
      expect(await say(...args)).not.toContain("\u001b")
  })
})
