import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Command } from "commander"
import { expect, test } from "vitest"
import { makeProgram } from "../src/cli/program.ts"
import { dreyHome, readConfig } from "../src/config.ts"
import { episodeTokens, keys } from "../src/learning/writer/writer-offers.ts"
import { blocksIn, commandsIn, readPage, takeBlocks, wordsOf } from "./doc-blocks.ts"
import { environmentOf, makeRepository, runGit, writeFiles } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const page = "docs/guides.md"
const [rules = ""] = takeBlocks(page, "markdown", 1)
const [mem0 = ""] = takeBlocks(page, "json", 1)
const [budgets = ""] = takeBlocks(page, "jsonc", 1)
const [removal = ""] = takeBlocks(page, "bash", 1) // what removes the program itself is not run here
const helpPage = "docs/troubleshooting.md"

test("every command of the guides prints what the page shows, one after the other in one repository", {
  timeout: 120_000,
}, async () => {
  const { cwd, home, env } = makeShop()
  writeFiles(cwd, { "CLAUDE.md": rules, "mem0.json": mem0 })
  mkdirSync(join(home, "Sync", "drey"), { recursive: true })
  const shown = takeBlocks(page, "console", 15)
  const shell = takeBlocks(page, "sh", 4)
  for (const { language, text } of blocksIn(readPage(page))) {
    if (language === "sh" && shell.includes(text) && text.startsWith("git "))
      execFileSync("sh", ["-e", "-c", text], { cwd, env: { ...environmentOf(env), ...author }, stdio: "pipe" })
    if (language !== "console" || !shown.includes(text)) continue
    for (const { line, printed } of commandsIn([text])) await expectPrinted(line, printed, { cwd, home, env })
  }
  expect(runGit(cwd, "log", "--format=%s").trim()).toBe("Add the team's memory")
  expect(readFileSync(join(cwd, ".git/config"), "utf8")).not.toContain("drey")
  expect(readFileSync(join(cwd, ".git/info/attributes"), "utf8")).not.toContain("drey")
})

test("the errors on the page about problems are those that are printed", async () => {
  const { cwd, home, env } = makeShop()
  mkdirSync(join(home, "somewhere"))
  expect((await runWarm(["init", "-q"], { cwd, env })).code).toBe(0)
  for (const { line, printed } of commandsIn(takeBlocks(helpPage, "console", 2)))
    await expectPrinted(line, printed, { cwd, home, env })
})

test("the messages that the page about problems quotes are in the program", () => {
  const quoted = [...readPage(helpPage).matchAll(/^\| [^|]*?`([^`|<]+ [^`|]+)`[^|]*\|/gm)].map(([, text = ""]) => text)
  const messages = quoted.filter((text) => !/^drey\b/.test(text))
  expect(messages.length).toBeGreaterThan(3)
  const src = resolve(import.meta.dirname, "../src")
  const texts = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(join(src, path), "utf8"))
  for (const message of messages)
    expect(
      texts.some((text) => text.includes(message)),
      message,
    ).toBe(true)
})

test.each([page, helpPage, "docs/concepts.md"])(
  "every command that %s names exists, with its options",
  async (name) => {
    const text = readPage(name)
    const inBlocks = blocksIn(text).flatMap(({ language, text: block }) =>
      ["sh", "bash"].includes(language) ? block.split("\n").map((line) => line.replace(/ +#.*/, "")) : [],
    )
    const inline = [...text.matchAll(/`(?:DREY_\w+=\S+ )?(drey [^`\n]+)`/g)].map(([, line = ""]) => line)
    const lines = [...inBlocks, ...inline].filter((line) => line.startsWith("drey "))
    expect(lines.length).toBeGreaterThan(4)
    const program = await makeProgram()
    for (const line of lines) expect([line, problemOf(line, program)]).toEqual([line, undefined])
  },
)

test("what the guide removes is the package and the folder that Drey makes", () => {
  expect(removal).toMatch(/^drey watch --stop\nnpm uninstall -g drey\nrm -r ~\/\.drey\n$/)
  expect(dreyHome({})).toMatch(/\.drey$/)
})

test("the prices of the writers are those that Drey shows", () => {
  for (const { provider, model, price } of keys) {
    const cost = (100 * (episodeTokens.prompt * price[0] + episodeTokens.answer * price[1])) / 1e6
    expect(readPage(page)).toContain(`| \`${provider}\` (${model}) | $${cost.toFixed(2)} |`)
  }
})

test("the budgets of the guide are settings, and lower than the built-in ones", () => {
  const home = makeRepository({ "config.json": budgets })
  const { recall, warnings } = readConfig(undefined, { DREY_HOME: home })
  expect({ ...recall, warnings }).toEqual({ ...JSON.parse(budgets).recall, show: false, warnings: [] })
  expect(readConfig(undefined, { DREY_HOME: makeRepository({}) }).recall).toMatchObject({
    sessionBudget: 2000,
    promptBudget: 2000,
  })
})

const author = {
  GIT_AUTHOR_NAME: "Ada Lovelace",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_COMMITTER_NAME: "Ada Lovelace",
  GIT_COMMITTER_EMAIL: "ada@example.com",
}

function makeShop() {
  const home = makeRepository({})
  const cwd = makeRepository({ "package.json": '{ "name": "shop" }\n' })
  runGit(cwd, "init", "-q")
  runGit(cwd, "config", "user.name", "Ada Lovelace")
  return { cwd, home, env: { HOME: home, DREY_HOME: join(home, ".drey"), DREY_COMMAND: "drey" } }
}

type Shop = ReturnType<typeof makeShop>

async function expectPrinted(line: string, printed: string, { cwd, home, env }: Shop): Promise<void> {
  const [program, ...words] = wordsOf(line)
  expect(program).toBe("drey")
  const args = words.map((word) => word.replace(/^~/, home))
  const { stdout, stderr, code } = await runWarm(args, { cwd, env })
  expect(code, `${line}: ${stderr}`).toBeLessThan(3)
  const told = withoutChance((stdout || stderr).replaceAll(cwd, "~/shop").replaceAll(home, "~"))
  const pieces = withoutChance(printed).split(/^…\n/m)
  const pattern = pieces.map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("[\\s\\S]*")
  if (pieces.length === 1) expect([line, told]).toEqual([line, pieces[0]])
  else expect(told, line).toMatch(new RegExp(`^${pattern}$`))
}

/** Times and ids are different in every run. */
function withoutChance(text: string): string {
  return text
    .replace(/\b\d{4}-\d\d-\d\d(?: \d\d:\d\d)?\b/g, "TIME")
    .replace(/\[(?:rules-)?[0-9a-f]{4,}\]/g, "[ID]")
    .replace(/drey edit [0-9a-f]{4,}/g, "drey edit ID")
}

/** The first word or option of a command line that Drey does not know. */
function problemOf(line: string, program: Command): string | undefined {
  let command = program
  for (const word of wordsOf(line).slice(1)) {
    const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word))
    if (next && !word.startsWith("-")) command = next
    else if (command === program) return word
    else if (word.startsWith("--") && !command.options.some(({ long }) => long === word) && !isGlobal(word, program))
      return word
  }
  return undefined
}

function isGlobal(word: string, program: Command): boolean {
  return program.options.some(({ long }) => long === word) || ["--help", "--root", "--json"].includes(word)
}
