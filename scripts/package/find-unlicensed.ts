import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** The packages that the notices name without terms, and those that code in this folder is said to be of and the notices do not name. */
export function findUnlicensed(folder: string): string[] {
  const [, ...sections] = readFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), "utf8").split(/\n=+\n/)
  const named = new Map<string, boolean>()
  for (const section of sections) {
    const [titles = "", ...terms] = section.trim().split("\n\n")
    for (const title of titles.split("\n")) named.set(title.replace(/ .*/, ""), terms.length > 0)
  }
  for (const name of packagesIn(folder)) if (!named.has(name)) named.set(name, false)
  return [...named].filter(([, hasTerms]) => !hasTerms).map(([name]) => name)
}

/** Those named in the bundler's comments, which it leaves in every file that is not minified. */
function packagesIn(folder: string): Set<string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => /\.c?js$/.test(path))
  const comment = /^\s*\/\/ (?:.*\/)?node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm
  return new Set(
    files.flatMap((path) =>
      [...readFileSync(join(folder, path), "utf8").matchAll(comment)].map(([, name = ""]) => name),
    ),
  )
}
