import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** Where to read on: the package's own pages, and the site that its manifest names. */
export function docsPlace(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const page = join(folder, "docs", "install.md")
    if (existsSync(page)) {
      const { homepage } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
      return [`Documentation: ${join(folder, "docs")}`, ...(homepage ? [homepage] : [])].join(", ")
    }
    if (dirname(folder) === folder) return "" // a program that bundles Drey has no pages
  }
}
