import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { expect, test } from "vitest"
import { claudeSession } from "./claude-session.ts"
import { environmentOf, makeRepository, runGit, startCli, writeFiles } from "./run-cli.ts"
import { hasTerminal, startOnTerminal } from "./terminal.ts"
import { runWarm } from "./warm-cli.ts"

/** A repository with sessions of a coding agent: so many, each with a rule in it. */
function workedIn({ sessions }: { sessions: number }) {
  const cwd = makeRepository({ "package.json": "{}" })
  runGit(cwd, "init", "-q")
  const home = makeRepository({})
  const rules = ["no, we use pnpm here, never npm", "Always run pnpm lint before a commit", "Never edit src/generated"]
  for (let number = 0; number < sessions; number++) {
    const start = new Date(Date.now() - (sessions - number + 1) * 3_600_000).toISOString()
    const session = claudeSession(home, { cwd, session: `session-${number}`, start })
    session.user(`Show the price of tariff ${number} on its page`)
    session.run("npm install currency", 'npm error Unsupported URL Type "workspace:": workspace:*', 1)
    session.user(rules[number % rules.length] ?? "")
    session.run("pnpm add currency", "Done in 2.1s")
    session.user("thanks, that works")
  }
  const env = environmentOf({ HOME: home, DREY_HOME: join(home, ".drey"), DREY_USER: "ines" })
  return { cwd, env, run: (...args: string[]) => runWarm(args, { cwd, env }) }
}

test("without a terminal init does the safe part, shows what it learned, and lists what it left out", async () => {
  const it = workedIn({ sessions: 4 })
  const { code, stdout, stderr } = await it.run("init")
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  expect(stdout).toMatch(/^Learned from 4 episodes: 3 new memories/m)
  expect(stdout.match(/^ {2}m:[0-9a-f]{6} {2}/gm)).toHaveLength(3)
  expect(stdout).toMatch(/^Next:\n {2}drey connect +connect Claude Code\n {2}drey ui +.*\n$/m)
  expect(existsSync(join(it.cwd, ".mcp.json"))).toBe(false)
})

test("with --yes init asks nothing and connects what it finds; a second time there is nothing to do", async () => {
  const it = workedIn({ sessions: 1 })
  const { stdout } = await it.run("init", "--yes", "--json")
  expect(JSON.parse(stdout)).toMatchObject({
    connected: true,
    clients: [{ id: "claude-code" }],
    history: { episodes: 1, memories: 1 },
    stopped: false,
    next: ["drey ui", 'drey context "Fix the login page"'],
  })
  expect(JSON.parse((await it.run("init", "--yes", "--json")).stdout)).toMatchObject({
    connected: false,
    history: { records: 0 },
  })
  expect((await it.run("disconnect")).code).toBe(0)
})

test("with an empty memory, init shows how to add something, and that works", async () => {
  const it = workedIn({ sessions: 0 })
  writeFiles(it.cwd, { "CLAUDE.md": "# Rules\n\n- Always use pnpm, never npm.\n" })
  const first = JSON.parse((await it.run("init", "--yes", "--json")).stdout)
  expect(first.next).toEqual(["drey import CLAUDE.md", 'drey remember "Always run the tests"'])
  expect((await it.run("import", "CLAUDE.md")).code).toBe(0)
  expect((await it.run("remember", "Always run the tests.")).code).toBe(0)
  const { next } = JSON.parse((await it.run("init", "--yes", "--json")).stdout)
  expect(next).toEqual(["drey ui", 'drey context "Fix the login page"'])
  expect((await it.run("context", "Fix the login page")).stdout).toContain("Always run the tests.")
})

test("reading history resumes after Ctrl-C, and nothing is lost or learned twice", async () => {
  const it = workedIn({ sessions: 120 })
  const child = startCli(["init"], it)
  let stdout = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
  })
  const ended = new Promise((resolve) => child.on("close", resolve))
  const lock = join(it.env.DREY_HOME ?? "", "run", "learning.lock")
  await expect.poll(() => existsSync(lock), { interval: 5, timeout: 60_000 }).toBe(true)
  child.kill("SIGINT")
  expect(await ended).toBe(0)
  expect(stdout).toContain('Stopped. Resume with "drey replay".')
  expect(stdout).toMatch(/^Next:\n {2}drey replay /m)
  await it.run("replay")
  const { counts } = JSON.parse((await it.run("status", "--json")).stdout)
  expect(counts.episodes).toMatchObject({ waiting: 0, parked: 0 })
  expect(counts.episodes.processed + counts.episodes.skipped).toBe(120)
  expect(JSON.parse((await it.run("replay", "--json")).stdout)).toMatchObject({ records: 0, memories: 0 })
})

/** Runs init on a terminal and types an answer after each question. */
async function initOnTerminal(place: Pick<ReturnType<typeof workedIn>, "cwd" | "env">, answers: string[]) {
  const child = startOnTerminal("init", place)
  let seen = ""
  let asked = 0
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    seen += stripVTControlCharacters(text)
    const questions = seen.match(/\[[yY]\/[nN]\]|\[1-\d, Enter for 1\]/g)?.length ?? 0
    for (; asked < questions; asked++) child.stdin.write(answers[asked] ?? "n\r")
  })
  const code = await new Promise((resolve) => child.on("close", resolve))
  return { code, text: seen.replaceAll("\r", "") }
}

test.runIf(hasTerminal)("on a terminal init shows its plan, and does nothing before the user agrees", async () => {
  const it = workedIn({ sessions: 1 })
  const refused = await initOnTerminal(it, ["n\r"])
  expect(refused.code).toBe(1)
  expect(refused.text).toMatch(/1\. add \d+ files to \.squad and a merge driver to git;\n/)
  expect(refused.text).toContain("3. ask whether to connect Claude Code")
  expect(refused.text).toContain("drey: Nothing was done")
  expect(existsSync(join(it.cwd, ".squad"))).toBe(false)
  expect((await initOnTerminal(it, ["\x03"])).code).toBe(1)

  const agreed = await initOnTerminal(it, ["\r", "y\r"])
  expect(agreed.code).toBe(0)
  expect(agreed.text).toContain("Learned from 1 episode: 1 new memory.")
  expect(readFileSync(join(it.cwd, ".squad/decisions.md"), "utf8")).toContain("# ")
  expect(agreed.text).toMatch(/^Next:\n {2}drey ui .*\n {2}drey context "/m)
  expect(agreed.text).toContain('"drey disconnect" restores every file exactly.')
})

test.runIf(hasTerminal)(
  "init asks once which writer to use, with what a task costs, and sends nothing before that",
  async () => {
    const { cwd, env } = workedIn({ sessions: 1 })
    const withKey = { cwd, env: { ...env, OPENAI_API_KEY: "not-a-key" } }
    const { code, text } = await initOnTerminal(withKey, ["\r", "x\r", "2\r", "n\r"])
    expect(code).toBe(0)
    expect(text.indexOf("Learned from 1 episode: 1 new memory.")).toBeLessThan(text.indexOf("Which one?"))
    expect(text).toContain('"x" is not one of them.')
    expect(text).toMatch(
      /2\. openai .*\n +per task: about \$0\.\d+, so \$\d\.\d+ for 100 tasks; sent to OpenAI, without/,
    )
    expect(readFileSync(join(env.DREY_HOME ?? "", "config.json"), "utf8")).toContain("gpt-5-mini")
    expect((await initOnTerminal(withKey, ["\r", "n\r"])).text).not.toContain("Which one?")
  },
)
