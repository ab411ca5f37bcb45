import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, runCli } from "./run-cli.ts"

const page = readFileSync(resolve(import.meta.dirname, "..", "docs", "recipes.md"), "utf8")

test("every command of the recipes prints what the page says", async () => {
  const files = [...page.matchAll(/^`(\.squad\/[^`]+)`\n\n```markdown\n([\s\S]*?)^```$/gm)]
  const cwd = makeRepository(Object.fromEntries(files.map(([, path = "", text = ""]) => [path, text])))
  const home = makeRepository({})
  const env = { HOME: home, DREY_HOME: `${home}/.drey`, DREY_COMMAND: "drey" }
  const recipes = [...page.matchAll(/^```console\n\$ drey (.*)\n([\s\S]*?)^```$/gm)]
  expect([files.length, recipes.length]).toEqual([4, 15])
  for (const [, command = "", output = ""] of recipes) {
    const { stdout, code } = await runCli(wordsOf(command), { cwd, env })
    expect(code, command).toBeLessThan(2)
    const printed = stdout.replaceAll(cwd, "/home/kane/shop")
    const [beginning = "", end] = output.split(/^…\n/m)
    if (end === undefined) expect(`$ drey ${command}\n${printed}`).toBe(`$ drey ${command}\n${output}`)
    else
      expect([command, printed.slice(0, beginning.length), printed.slice(-end.length)]).toEqual([
        command,
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

/** The words of a command line as a shell would hand them over. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "")
}
