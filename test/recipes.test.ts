import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { expect, test } from "vitest"
import { cliIn, makeRepository } from "./run-cli.ts"

const page = readFileSync(resolve(import.meta.dirname, "..", "docs", "recipes.md"), "utf8")

test("every command of the recipes prints what the page says", async () => {
  const files = [...page.matchAll(/^`(\.squad\/[^`]+)`\n\n```markdown\n([\s\S]*?)^```$/gm)]
  const { run } = cliIn(makeRepository(Object.fromEntries(files.map(([, path = "", text = ""]) => [path, text]))))
  const recipes = [...page.matchAll(/^```console\n\$ drey (.*)\n([\s\S]*?)^```$/gm)]
  expect([files.length, recipes.length]).toEqual([4, 7])
  for (const [, command = "", output = ""] of recipes) {
    const { stdout } = await run(...wordsOf(command))
    expect(`$ drey ${command}\n${stdout}`).toBe(`$ drey ${command}\n${output}`)
  }
})

test("each recipe has a command", () => {
  const [, ...recipes] = page.replace(/^```markdown\n[\s\S]*?^```$/gm, "").split(/^## /m)
  expect(recipes).toHaveLength(5)
  for (const recipe of recipes) expect(recipe).toContain("$ drey ")
})

/** The words of a command line as a shell would hand them over. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "")
}
