import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { allCommands } from "./all-commands.ts"
import { blocksIn, pages, readPage, takeBlocks } from "./doc-blocks.ts"

const project = resolve(import.meta.dirname, "..")

test("every fenced block of every page is taken by a test", () => {
  const there = pages.flatMap((page) => blocksIn(readPage(page)).map(({ language }) => nameOf(page, language)))
  const taken = ["test", "src"].flatMap(callsIn)
  const orphans = [...new Set(there)].filter((name) => !taken.includes(name))
  expect(orphans, "no test calls takeBlocks() for these").toEqual([])
})

test("no fence is left open, so that no block hides behind another", () => {
  for (const page of pages) {
    const lines = readPage(page).split("\n")
    for (const { text, line } of blocksIn(readPage(page))) lines.fill("", line - 1, line + text.split("\n").length)
    expect(
      lines.filter((line) => /^ *(?:```|~~~)/.test(line)),
      page,
    ).toEqual([])
  }
})

// What cannot be run here is held against the code instead.

test("the commands for contributors exist (running them here would run the tests themselves)", () => {
  const [block = ""] = takeBlocks("CONTRIBUTING.md", "bash", 1)
  const scriptsOf = (folder: string) =>
    Object.keys(JSON.parse(readFileSync(join(project, folder, "package.json"), "utf8")).scripts)
  const pattern = /^(?:npm (?:run )?([a-z:]+)(?: -w (bench))?|npx vitest run (\S+)|node (\S+)) +#/
  for (const line of block.trimEnd().split("\n")) {
    const [, script, workspace = ".", folder, file] = pattern.exec(line) ?? []
    if (folder) expect(readdirSync(join(project, folder))).toContain("entries.ts")
    else if (file) expect(existsSync(join(project, file)), line).toBe(true)
    else expect(scriptsOf(workspace), line).toContain(script)
  }
})

test("every file that CONTRIBUTING.md and AGENTS.md name is there", () => {
  for (const page of ["CONTRIBUTING.md", "AGENTS.md"])
    for (const [, path = ""] of readPage(page).matchAll(/`((?:src|test|bench|scripts|docs)\/[\w./-]+)`/g))
      if (path !== "docs/site/dist") expect(existsSync(join(project, path)), `${page}: ${path}`).toBe(true)
})

test("the drawing of the data flow names functions that exist", () => {
  const [drawing = ""] = takeBlocks("ARCHITECTURE.md", "", 1)
  const names = drawing.match(/\b[a-z]+[A-Z]\w+/g) ?? []
  const sources = namesIn("src").filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
  const exported = sources.flatMap((path) =>
    [...readFileSync(join(project, "src", path), "utf8").matchAll(/^export (?:async )?function\*? (\w+)/gm)].map(
      ([, name]) => name,
    ),
  )
  expect(names.length).toBeGreaterThan(10)
  for (const name of names) expect(exported).toContain(name)
})

const rooms = namesIn("src").filter((path) => /^\w+\/README\.md$/.test(path))

test.each(["ARCHITECTURE.md", ...rooms.map((path) => `src/${path}`)])(
  "the files and folders that %s names exist",
  (page) => {
    const named = readPage(page).match(/(?<=`)[a-z][\w/-]*(?:\.ts|\/)(?=`)/g) ?? []
    const paths = namesIn("src").map((path) => `/${path}`)
    const isThere = (name: string) =>
      existsSync(join(project, name)) ||
      paths.some((path) => (name.endsWith("/") ? path.includes(`/${name}`) : path.endsWith(`/${name}`)))
    expect(named.length).toBeGreaterThan(4)
    expect(named.filter((name) => !isThere(name))).toEqual([])
  },
)

test("the architecture page marks the folders that have a README", () => {
  const marked = [...readPage("ARCHITECTURE.md").matchAll(/\| `(\w+)\/` \* \|/g)].map(
    ([, folder]) => `${folder}/README.md`,
  )
  expect(marked.sort()).toEqual(rooms.toSorted())
})

test("the command reference is complete: a block for each topic and command of the first day, a row for each other", async () => {
  const reference = readPage("docs/cli.md")
  const whole = reference.match(/^(?:### drey .*|`drey help [a-z-]+`)$/gm) ?? []
  for (const text of takeBlocks("docs/cli.md", "text", whole.length)) expect(text.trim()).not.toBe("")
  const named = [...reference.matchAll(/^(?:### |\| `)(drey [a-z -]+?)(?= [<[]|`|$)/gm)].map(([, name]) => name)
  expect(named).toEqual((await allCommands()).map(({ name }) => `drey ${name}`))
})

function nameOf(page: string, language: string): string {
  return `${page} ${language || "(no language)"}`
}

/** For which blocks the tests below a folder call `takeBlocks`. */
function callsIn(folder: string): string[] {
  return namesIn(folder)
    .filter((path) => path.endsWith(".test.ts"))
    .flatMap((path) => {
      const text = readFileSync(join(project, folder, path), "utf8")
      const names = new Map(
        [...text.matchAll(/^const (\w+) = "([^"\n]+\.md)"$/gm)].map(([, name = "", page = ""]) => [name, page]),
      )
      const calls = [...text.matchAll(/\btakeBlocks\(\s*(?:"([^"]+)"|(\w+)),\s*"(\w*)",/g)]
      return calls.map(([, page, name = "", language = ""]) => nameOf(page ?? names.get(name) ?? name, language))
    })
}

function namesIn(folder: string): string[] {
  return readdirSync(join(project, folder), { recursive: true, encoding: "utf8" })
}
