import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { environmentOf, makeRepository, runCli } from "./run-cli.ts"
import { trustForTest } from "./trust-for-test.ts"

const decision = `### 2026-02-15T14:32:15+0000: decision: Log in with short tokens

**type:** decision
**timestamp:** 2026-02-15T14:32:15+0000
**author:** Kane

**summary:** Tokens of a login live for ten minutes and are refreshed.

---
`
const question = "How long do the tokens of a login live?"

test("DREY_LOG shows on stderr whether the index was rebuilt or current, and the steps of a context", async () => {
  const { cwd, env } = makePlace()
  const context = () => runCli(["context", question], { cwd, env: { ...env, DREY_LOG: "recall,index" } })
  const first = await context()
  expect(first.stderr).toMatch(/ index open .* path=fast .*left="there is no index yet"/)
  expect(first.stderr).toMatch(/ index open .* path=full file=\S+\.db sql=\d+/)
  expect(first.stderr).toMatch(/ index update .* index=rebuilt round=1 written=\d/)
  for (const step of ["gather", "rank", "fit", "render"])
    expect(first.stderr).toMatch(new RegExp(` recall ${step} \\d+\\.\\dms \\w`))
  let second = await context()
  while (!second.stderr.includes("index=current")) second = await context() // a file changed just now is read again
  expect(second.stderr).toMatch(/ index open .* path=fast file=\S+\.db index=current sql=\d+/)
  expect(second.stderr).not.toContain("path=full")
  expect(first.stderr + second.stderr).not.toContain("ten minutes")
  expect((await runCli(["context", question], { cwd, env })).stderr).not.toMatch(/ (?:index|recall) /)
})

test("in a hook, the log goes to a file, with the event, the path taken and the answer", async () => {
  const { cwd, env } = makePlace()
  trustForTest(env.DREY_HOME ?? "", cwd)
  const file = join(env.DREY_HOME ?? "", "log", "drey.log")
  const ask = (session: string, log: string) => {
    const input = JSON.stringify({ session_id: session, cwd, prompt: question })
    return runCli(["hook", "claude-code", "UserPromptSubmit"], { cwd, env: { ...env, DREY_LOG: log }, input })
  }
  expect((await ask("one", "")).stdout).toContain("ten minutes")
  expect(existsSync(file)).toBe(false)
  const { stdout, stderr } = await ask("two", "hook")
  expect(stdout).toContain("ten minutes")
  expect(stderr).toBe("")
  for (let session = 3; !readFileSync(file, "utf8").includes("path=fast"); session++) await ask(`${session}`, "hook")
  const log = readFileSync(file, "utf8")
  expect(log).toMatch(/ hook event \d+\.\dms client=claude-code event=UserPromptSubmit kind=prompt root=\S+\n/)
  expect(log).toMatch(/ hook path \d+\.\dms path=fast team=small\n/)
  expect(log).toMatch(/ hook answer \d+\.\dms outcome=context characters=\d+ sinceStart=\d+\.\dms\n/)
  expect(log).not.toContain("tokens of a login")
})

test("learning logs each transcript that it reads", async () => {
  const { cwd, env } = makePlace()
  const transcript = join(makeRepository({ "s.jsonl": `${JSON.stringify(message(cwd))}\n` }), "s.jsonl")
  const { stderr } = await runCli(["ingest", transcript], {
    cwd,
    env: { ...env, DREY_LOG: "learning" },
  })
  expect(stderr).toMatch(/ learning ingest \d+\.\dms client=claude-code file=\S+s\.jsonl project=wanted records=1/)
})

test("drey check --bundle writes a report for its user alone, says what is in it, and leaves out the team's texts", async () => {
  const { cwd, env } = makePlace()
  const { stdout, code } = await runCli(["check", "--bundle"], { cwd, env })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Wrote drey-report\.json\. It contains:\n {2}versions .*no text of memories/s)
  const report = readFileSync(join(cwd, "drey-report.json"), "utf8")
  expect(JSON.parse(report)).toHaveProperty("checks")
  expect(report).not.toMatch(/ten minutes|short tokens|Kane/)
  const named = await runCli(["doctor", "--bundle", "other.json", "--json"], { cwd, env })
  expect(JSON.parse(named.stdout)).toMatchObject({ path: "other.json", parts: expect.arrayContaining(["versions"]) })
})

function makePlace() {
  const cwd = makeRepository({ ".squad/decisions.md": `# Squad Decisions\n\n${decision}` })
  return { cwd, env: environmentOf() }
}

function message(cwd: string): object {
  const content = "Please rename the button."
  const place = { cwd, sessionId: "5d0c1f7e-2b7a-4c4e-9a51-7a1d3b0f6c22", version: "2.0.0" }
  const ids = { uuid: "5d0c1f7e-2b7a-4c4e-9a51-7a1d3b0f6c23", parentUuid: null, timestamp: "2026-02-15T10:00:00.000Z" }
  return { type: "user", ...place, ...ids, message: { role: "user", content } }
}
