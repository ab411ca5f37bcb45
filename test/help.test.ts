import { expect, test } from "vitest"
import { makeRepository } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

/** With these it exits at once; without them it would run until stopped. */
const brief: Record<string, string[]> = {
  watch: ["--status"],
  ui: ["--port", "none"],
  "team serve": ["--listen", "nowhere"],
  // A database of its own takes seconds to make; test/team-serve.test.ts has one for all of these.
  "team migrate": ["--database-url", "nowhere"],
  "team org create": ["--database-url", "nowhere"],
  "team invite-owner": ["--database-url", "nowhere"],
  "team verify-audit": ["--database-url", "nowhere"],
}

test("every command that help lists runs", async () => {
  const commands = await listCommands([], makeRepository({}))
  expect(commands.length).toBeGreaterThan(80)
  await inGroups(commands, async (words) => {
    const cwd = makeRepository({ ".squad/decisions.md": "# Squad Decisions\n" }) // one each: they run at the same time
    const { code, stdout, stderr } = await runWarm([...words, ...(brief[words.join(" ")] ?? [])], { cwd })
    expect([0, 1, 2], `drey ${words.join(" ")}: ${stdout}${stderr}`).toContain(code) // 3 is a bug, null a crash
    expect(stderr).not.toMatch(/unknown command|internal error/)
  })
}, 180_000) // a process for each of about a hundred commands

test("a command that help does not list does not exist", async () => {
  const { code, stderr } = await runWarm(["nap"], { cwd: makeRepository({}) })
  expect(code).toBe(2)
  expect(stderr).toContain("unknown command")
})

test("help shows where to begin, and lists its topics by either name", async () => {
  const cwd = makeRepository({})
  expect((await runWarm(["--help"], { cwd })).stdout).toContain("\nGet started: drey demo ")
  const { code, stdout } = await runWarm(["help", "topics"], { cwd })
  expect([code, stdout]).toEqual([0, (await runWarm(["help"], { cwd })).stdout])
})

test("a typo gets a suggestion: a command, a subcommand, an option, a topic", async () => {
  const cwd = makeRepository({ ".squad/decisions.md": "# Squad Decisions\n" })
  const lines: [string[], string][] = [
    [["serach"], "Did you mean search?"],
    [["session", "strat"], "Did you mean start?"],
    [["memory", "serach", "lanterns"], "Did you mean drey memory search?"],
    [["validate", "--stagd"], "Did you mean --staged?"],
    [["validate", "--no-colour"], "Did you mean --no-color?"],
    [["help", "qurey"], "Did you mean query?"],
    [["connect", "claude-cod"], "claude-code"],
  ]
  for (const [line, meant] of lines) {
    const { stdout, stderr } = await runWarm(line, { cwd })
    expect(stdout + stderr, line.join(" ")).toContain(meant)
  }
})

/** Every command below this one, as help lists them, each followed by its own; each with an example in its help. */
async function listCommands(words: string[], cwd: string): Promise<string[][]> {
  const { code, stdout } = await runWarm([...words, "--help"], { cwd })
  expect(code, `drey ${words.join(" ")} --help`).toBe(0)
  if (words.length > 0) expect(stdout).toMatch(/\nExamples?:\n/)
  const names = [...commandLists(stdout).matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = ""]) => [...words, name])
  if (words.length > 0 && names.length === 0) expect(stdout).toContain("\nExit codes:\n  0  ")
  return (await inGroups(names, async (name) => [name, ...(await listCommands(name, cwd))])).flat()
}

/** The help's lists of commands, whatever their headings. */
function commandLists(help: string): string {
  const others = /^(?:Usage|Arguments|Options|Common options|Filters|Examples?|Exit codes|Files|Environment|Topics):/
  return help
    .split(/\n(?=\S[^\n]*:(?:\n|$| ))/)
    .filter((section) => !others.test(section))
    .join("\n")
}

/** Four at a time: one by one they take minutes, all at once they starve each other. */
async function inGroups<Item, Result>(items: readonly Item[], act: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (let at = 0; at < items.length; at += 4) results.push(...(await Promise.all(items.slice(at, at + 4).map(act))))
  return results
}
