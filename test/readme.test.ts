import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, runCli } from "./run-cli.ts"

const project = resolve(import.meta.dirname, "..")
const readme = readFileSync(join(project, "README.md"), "utf8")
const [before = "", after = ""] = Array.from(readme.matchAll(/^```text\n([\s\S]*?)^```$/gm), ([, text = ""]) => text)

test("the two commands of the README run as they stand there", async () => {
  const [, block = ""] = /^```sh\n([\s\S]*?)^```$/m.exec(readme) ?? []
  const commands = Array.from(block.matchAll(/^npx drey (\S+)/gm), ([, name = ""]) => name)
  expect(commands).toEqual(["demo", "init"])
  for (const name of commands) {
    const { code, stderr } = await runCli([name], { cwd: makeRepository({}) })
    expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: "" })
  }
})

test("the README's before is what stands in the demo's transcript", () => {
  const folder = join(project, "templates", "sample", "home", ".claude", "projects")
  const name = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((path) => path.endsWith(".jsonl")) ?? ""
  const records = readFileSync(join(folder, name), "utf8").trim().split("\n").map(toText)
  const lines = before.trimEnd().split("\n")
  expect(lines).toHaveLength(6)
  for (const line of lines) expect(records.join("\n").split("\n")).toContain(line)
})

test("the README's after is what the demo prints, but for ids and dates", async () => {
  const { stdout } = await runCli(["demo", "--json"], { cwd: makeRepository({}) })
  const { commands }: { commands: { command: string; output: string }[] } = JSON.parse(stdout)
  const shown = commands.map(({ command, output }) => masked(`$ ${command}\n${output}`))
  expect(shown).toContain(masked(after))
})

test("the README names only commands that exist, pages that are there, and scripts that package.json has", async () => {
  const cwd = makeRepository({})
  for (const [, name = ""] of readme.matchAll(/`drey ([a-z-]+)/g)) {
    expect((await runCli([name, "--help"], { cwd })).code, `drey ${name}`).toBe(0)
  }
  for (const [, path = ""] of readme.matchAll(/(?:\]\(|src="|srcset=")([^)"]+)/g)) readFileSync(join(project, path))
  const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"))
  for (const [, name = ""] of readme.matchAll(/npm (?:run )?(start|[a-z]+:[a-z]+)/g))
    expect(Object.keys(scripts)).toContain(name)
})

/** A person's words as `> …`, a command as `$ …`, a result as it is. */
function toText(line: string): string {
  const { message } = JSON.parse(line)
  if (typeof message.content === "string") return `> ${message.content}`
  const [part] = message.content
  return part.type === "tool_use" ? `$ ${part.input.command}` : (part.content ?? part.text)
}

/** Ids are made from dates, the demo's dates from today's, and a token more or less from both. */
function masked(text: string): string {
  return text
    .replace(/\b(sem-|t-|m:)[0-9a-f]{6,12}\b/g, "$1…")
    .replace(/\b\d{4}-\d\d-\d\d\b/g, "DATE")
    .replace(/\b\d+ of 2,000 tokens/g, "TOKENS")
}
