import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { dayOneHelp } from "../src/cli/help/day-one.ts"
import { makeProgram } from "../src/cli/program.ts"
import { makeRepository, runCli } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const packageVersion = JSON.parse(readFileSync("package.json", "utf8")).version

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

test("drey, help and --help show the first day on one screen; help --all lists everything, with the topics", async () => {
  const cwd = makeRepository({})
  for (const words of [[], ["help"], ["--help"], ["-h"]]) {
    const { code, stdout } = await runCli(words, { cwd })
    expect([code, stdout]).toEqual([0, dayOneHelp])
  }
  expect(dayOneHelp.split("\n").length).toBeLessThanOrEqual(24)
  expect((await runWarm(["help", "--all"], { cwd })).stdout).toContain("\nTopics: query, ")
})

test("every command that the first screen names exists, and so do its examples", async () => {
  const { commands } = await makeProgram()
  const names = commands.map((command) => command.name())
  const listed = [...dayOneHelp.matchAll(/^(?:[A-Z][a-z]+)? +([a-z]+)(?: [A-Z]+)?(?:, ([a-z]+)(?: [A-Z]+)?)? {2,}/gm)]
  const named = listed.flatMap(([, one, other]) => [one ?? "", ...(other === undefined ? [] : [other])])
  const examples = [...dayOneHelp.matchAll(/drey ([a-z]+)/g)].map(([, name = ""]) => name)
  expect(named.length).toBeGreaterThan(15)
  expect([...named, ...examples].filter((name) => !names.includes(name))).toEqual([])
})

test.each([["-v"], ["-V"], ["--version"], ["version"]])("drey %s prints the version", async (word) => {
  const { code, stdout } = await runCli([word], { cwd: makeRepository({}) })
  expect([code, stdout]).toEqual([0, `${packageVersion}\n`])
})

test("a typo gets a suggestion: a command, a subcommand, an option, a topic", async () => {
  const cwd = makeRepository({ ".squad/decisions.md": "# Squad Decisions\n" })
  const lines: [string[], string][] = [
    [["serach"], "Did you mean search?"],
    [["serve"], "Did you mean drey ui, mcp or team serve?"],
    [["list", "tpye:decision"], 'Did you mean "type:"?'],
    [["search", "tpye:decision"], 'Did you mean "type:"?'],
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
  const { code, stdout } = await runWarm(words.length === 0 ? ["help", "--all"] : [...words, "--help"], { cwd })
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
