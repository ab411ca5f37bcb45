import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { sections } from "../bench/all/sections.ts"
import { blocksIn, readPage, takeBlocks } from "./doc-blocks.ts"

const page = readPage("docs/benchmarks.md")
const project = resolve(import.meta.dirname, "..")

test("the page holds sections that `npm run bench` writes, in its order, each once", () => {
  const written = [...page.matchAll(/^<!-- bench: ([\w-]+) -->$/gm)].map(([, name]) => name)
  const known = sections.map(({ name }) => name)
  expect(written).toEqual(known.filter((name) => written.includes(name)))
  expect(written).toContain("peers")
  expect(page.match(/^<!-- end -->$/gm)).toHaveLength(written.length)
})

test("every section names the command that measured it, and the command exists", () => {
  const commands = [...page.matchAll(/^`node (\S+) (bench\/\S+?\.ts)[^`]*` on \d{4}-\d\d-\d\d; .*Node \d+/gm)]
  expect(commands).toHaveLength(page.match(/^<!-- bench: /gm)?.length ?? 0)
  for (const paths of commands.map(([, ...paths]) => paths))
    for (const path of paths) expect(existsSync(join(project, path)), path).toBe(true)
})

test("output of a benchmark that is not Markdown is shown as printed", () => {
  const plain = blocksIn(page).filter(({ language }) => language === "text")
  for (const text of takeBlocks("docs/benchmarks.md", "text", plain.length)) expect(text.trim()).not.toBe("")
})
