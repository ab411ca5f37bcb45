import { type Dirent, readdirSync } from "node:fs"
import { join, parse } from "node:path"

/**
 * The folder for Cursor's name of it, in which `/` and `.` became `-`; only if it exists and no other folder matches.
 */
export function folderOfSlug(slug: string, root = parse(process.cwd()).root): string | undefined {
  const found = foldersOf(slug, root)
  return found.length === 1 ? found[0] : undefined
}

function foldersOf(slug: string, folder: string): string[] {
  return subfolders(folder).flatMap((name) => {
    const path = join(folder, name)
    const part = name.replace(/[/.]/g, "-")
    if (part === slug) return [path]
    return part !== "" && slug.startsWith(`${part}-`) ? foldersOf(slug.slice(part.length + 1), path) : []
  })
}

function subfolders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(isFolder)
      .map(({ name }) => name)
  } catch {
    return [] // not accessible, so not the one
  }
}

function isFolder(entry: Dirent): boolean {
  return entry.isDirectory()
}
