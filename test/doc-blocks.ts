import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

export type Block = { language: string; text: string; line: number }

const project = resolve(import.meta.dirname, "..")

/** Every page for users. */
export const pages: string[] = [
  ...["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"],
  ...readdirSync(join(project, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md") && !/^site\/(?:\.cache|dist|node_modules)\//.test(path)) // what building the site leaves
    .map((path) => `docs/${path}`)
    .sort(),
]

export function readPage(page: string): string {
  return readFileSync(join(project, page), "utf8")
}

/** The fenced blocks of a page, each text ending with a line feed; what cannot be read as a fence is ignored. */
export function blocksIn(markdown: string): Block[] {
  return [...markdown.matchAll(/^( *)(`{3,}|~{3,})([^\n`]*)\n([\s\S]*?)^\1\2`*$/gm)].map((found) => {
    const [, indent = "", , language = "", text = ""] = found
    const line = markdown.slice(0, found.index).split("\n").length
    return { language: language.trim(), text: text.replace(new RegExp(`^${indent}`, "gm"), ""), line }
  })
}

/**
 * The blocks of a page in one language, for the test that runs them. It says how many it takes, so that one more on the page fails; and
 * test/docs-blocks.test.ts finds these calls, so that a page or a language without one fails too.
 */
export function takeBlocks(page: string, language: string, count: number): string[] {
  const blocks = blocksIn(readPage(page)).filter((block) => block.language === language)
  if (blocks.length !== count)
    throw new Error(
      `${page} has ${blocks.length} blocks of "${language}", at lines ${blocks.map(({ line }) => line).join(", ")}; this test runs ${count}.`,
    )
  return blocks.map(({ text }) => text)
}

export type ShownCommand = { line: string; printed: string }

/** The commands behind `$` in blocks of a terminal, each with the output below it. */
export function commandsIn(blocks: readonly string[]): ShownCommand[] {
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((shown) => {
        const [line = "", ...printed] = shown.split("\n")
        return { line, printed: printed.join("\n") }
      }),
  )
}

/** The words of a command line as a shell would hand them over. */
export function wordsOf(command: string): string[] {
  const words = command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)
  return [...words].map(([, double, single, plain]) => double ?? single ?? plain ?? "")
}
