import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { readPage, takeBlocks } from "./doc-blocks.ts"
import { maskDemo } from "./mask-demo.ts"
import { makeRepository } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const project = resolve(import.meta.dirname, "..")
const readme = readPage("README.md")
const [before = "", after = ""] = takeBlocks("README.md", "text", 2)

test("the README's \"before\" is what is in the demo's transcript", () => {
  const folder = join(project, "templates", "sample", "home", ".claude", "projects")
  const name = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((path) => path.endsWith(".jsonl")) ?? ""
  const records = readFileSync(join(folder, name), "utf8").trim().split("\n").map(toText)
  const lines = before.trimEnd().split("\n")
  expect(lines).toHaveLength(6)
  for (const line of lines) expect(records.join("\n").split("\n")).toContain(line)
})

test("the README's after is what the demo prints, but for ids and dates", async () => {
  const { stdout } = await runWarm(["demo", "--json"], { cwd: makeRepository({}) })
  const { commands }: { commands: { command: string; output: string }[] } = JSON.parse(stdout)
  const shown = commands.map(({ command, output }) => maskDemo(`$ ${command}\n${output}`))
  expect(shown).toContain(maskDemo(after))
})

test("the README names only commands that exist, pages that are there, and scripts that package.json has", async () => {
  const cwd = makeRepository({})
  for (const [, name = ""] of readme.matchAll(/`drey ([a-z-]+)/g)) {
    expect((await runWarm([name, "--help"], { cwd })).code, `drey ${name}`).toBe(0)
  }
  for (const [, path = ""] of readme.matchAll(/(?:\]\(|src="|srcset=")(?!https:)([^)"]+)/g))
    readFileSync(join(project, path))
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
