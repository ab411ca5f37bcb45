import { expect, test } from "vitest"
import { dayOneHelp } from "../src/cli/help/day-one.ts"
import { claudeSession } from "./claude-session.ts"
import { commandsIn, takeBlocks, wordsOf } from "./doc-blocks.ts"
import { makeRepository, runCli, runGit } from "./run-cli.ts"

test("from an empty repository to a context with a rule, a decision and a learned memory, with what drey suggests", async () => {
  const home = makeRepository({})
  const cwd = makeRepository({ "package.json": '{ "name": "shop" }\n' })
  runGit(cwd, "init", "-q")
  runGit(cwd, "config", "user.name", "Ada Lovelace")
  const env = { HOME: home, DREY_HOME: `${home}/.drey`, DREY_COMMAND: "drey" }
  const shown = commandsIn(takeBlocks("docs/quick-start.md", "console", 6))
  expect(shown.length).toBeLessThanOrEqual(6)
  let last = ""
  for (const { line, printed } of shown) {
    const [program, ...args] = wordsOf(line)
    expect([program, isSuggested(args)]).toEqual(["drey", true])
    if (args[0] === "learn") work(home, cwd)
    const { stdout, code } = await runCli(args, { cwd, env })
    expect([line, code, masked(stdout)]).toEqual([line, 0, masked(printed)])
    last = stdout
  }
  expect(last).toMatch(/\] directive · [^\n]*\n[^\n]*\n> Indent with tabs\n/)
  expect(last).toMatch(/\] decision · [^\n]*\n[^\n]*\n> We keep orders in PostgreSQL\n/)
  expect(last).toMatch(/\[m:[0-9a-f]{6,}\][^\n]*\n> [^\n]*pnpm/)
})

/** Whether the first screen shows this: one of its examples, or a command of its list with words of the user's own. */
function isSuggested([command = "", ...words]: string[]): boolean {
  const listed = new RegExp(`^(?:[A-Z][a-z]+)? +(?:[a-z]+(?: [A-Z]+)?, )?${command}(?: [A-Z]+)?(?:, | {2,})`, "m")
  return command === "" || (listed.test(dayOneHelp) && words.every((word) => !word.startsWith("-")))
}

/** A task of Claude Code in which the user corrects it. */
function work(home: string, cwd: string): void {
  const start = new Date(Date.now() - 3_600_000).toISOString()
  const session = claudeSession(home, { cwd, session: "0f6d2c1e-8a4b-4c9d-9e77-1b2c3d4e5f60", start })
  session.user("Add zod to the project and check the form with it")
  session.run("npm install zod", "npm error Unsupported URL Type workspace:", 1)
  session.user("No, we use pnpm here, never npm.")
  session.run("pnpm add zod", "dependencies: + zod 4.1.0")
  session.assistant("Added zod with pnpm.")
  session.user("Thanks, that works.")
}

/** Ids and dates are different in every run. */
function masked(text: string): string {
  return text
    .replace(/\bt-[0-9a-f]{12}\b/g, "t-…")
    .replace(/\bm:[0-9a-f]{6,}\b/g, "m:…")
    .replace(/\bsem-[0-9a-f]{8,12}\b/g, "sem-…")
    .replace(/drey edit [0-9a-f]{8}/g, "drey edit …")
    .replace(/\b\d{4}-\d\d-\d\d\b/g, "DATE")
}
