import { existsSync } from "node:fs"
import { join } from "node:path"
import { readTextFile } from "../disk/read-text-file.ts"
import { DreyError } from "../errors.ts"

const mostCharacters = 4000
const files = [".squad/project.md", ".squad/team.md", "README.md", "README"]

/** Describes a project for the writer: the first of these files with content. Empty when there is none. */
export function summarizeProject(root: string): string {
  for (const file of files) {
    const path = join(root, file)
    if (!existsSync(path)) continue
    try {
      const text = readTextFile(path).text.trim()
      if (text !== "") return [...text].slice(0, mostCharacters).join("")
    } catch (error) {
      if (!(error instanceof DreyError)) throw error // the writer also works without a summary
    }
  }
  return ""
}
