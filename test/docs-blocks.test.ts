import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
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

test("what a contributor is told to run is there: the tests would run themselves, the benchmarks for hours", () => {
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

test("the drawing of the data's way names functions that are there", () => {
  const [drawing = ""] = takeBlocks("ARCHITECTURE.md", "", 1)
  const names = drawing.match(/\b[a-z]+[A-Z]\w+/g) ?? []
  const files = namesIn("src").map((path) => path.replace(/.*\//, ""))
  expect(names.length).toBeGreaterThan(3)
  for (const name of names) {
    const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    expect(files, name).toContain(`${words}.ts`)
  }
})

test("the reference of the commands is whole: a block for each, and one for each topic", () => {
  const reference = readPage("docs/cli.md")
  const commands = reference.match(/^- \[`drey /gm) ?? []
  const topics = reference.match(/^`drey help [a-z-]+`$/gm) ?? []
  for (const text of takeBlocks("docs/cli.md", "text", commands.length + topics.length))
    expect(text.trim()).not.toBe("")
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
