import { expect, test } from "vitest"
import { commandsIn, readPage, takeBlocks, wordsOf } from "./doc-blocks.ts"
import { makeRepository } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const page = readPage("docs/recipes.md")

test("every command of the recipes prints what the page says", async () => {
  const paths = [...page.matchAll(/^`(\.squad\/[^`]+)`\n\n```markdown$/gm)].map(([, path = ""]) => path)
  const texts = takeBlocks("docs/recipes.md", "markdown", 4)
  expect(paths).toHaveLength(texts.length)
  const cwd = makeRepository(Object.fromEntries(paths.map((path, at) => [path, texts[at] ?? ""])))
  const home = makeRepository({})
  const env = { HOME: home, DREY_HOME: `${home}/.drey`, DREY_COMMAND: "drey" }
  for (const { line, printed } of commandsIn(takeBlocks("docs/recipes.md", "console", 15))) {
    const [program, ...args] = wordsOf(line)
    expect(program).toBe("drey")
    const { stdout, code } = await runWarm(args, { cwd, env })
    expect(code, line).toBeLessThan(2)
    const told = stdout.replaceAll(cwd, "/home/kane/shop")
    const [beginning = "", end] = printed.split(/^…\n/m)
    if (end === undefined) expect([line, told]).toEqual([line, printed])
    else
      expect([line, told.slice(0, beginning.length), told.slice(told.length - end.length)]).toEqual([
        line,
        beginning,
        end,
      ])
  }
})

test("each recipe has a command", () => {
  const recipes = page.replace(/^```markdown\n[\s\S]*?^```$/gm, "").split(/^###? /m)
  expect(recipes.map((recipe) => recipe.split("\n")[0]).slice(-6)).toEqual([
    "Squad",
    "Claude Code",
    "Codex",
    "SquadUI",
    "A check in CI",
    "A team",
  ])
  for (const recipe of recipes.slice(2)) expect(recipe).toContain("$ drey ")
})
