import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, runCli } from "./run-cli.ts"

const readme = readFileSync(resolve(import.meta.dirname, "..", "README.md"), "utf8")

test("the README's example prints what the README says", async () => {
  const decisions = /```markdown\n([\s\S]*?)```/.exec(readme)?.[1] ?? ""
  const [, command = "", output = ""] = /```text\n\$ drey (.*)\n([\s\S]*?)```/.exec(readme) ?? []
  const cwd = makeRepository({ ".squad/decisions.md": decisions, ".squad/agents/tomas/history.md": "# History\n" })
  const { stdout, stderr } = await runCli(command.split(" "), { cwd })
  expect(stdout + stderr).toBe(output)
})

test("the README names only commands that exist, and scripts that package.json has", async () => {
  const cwd = makeRepository({})
  for (const [, name = ""] of readme.matchAll(/`drey ([a-z-]+)/g)) {
    expect((await runCli([name, "--help"], { cwd })).code, `drey ${name}`).toBe(0)
  }
  const { scripts } = JSON.parse(readFileSync(resolve(import.meta.dirname, "..", "package.json"), "utf8"))
  for (const [, name = ""] of readme.matchAll(/npm run ([a-z:]+)/g)) expect(Object.keys(scripts)).toContain(name)
})
