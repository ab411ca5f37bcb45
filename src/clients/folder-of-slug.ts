import { type Dirent, readdirSync } from "node:fs"
import { join, parse } from "node:path"

/**
 * The folder that Cursor calls by a name in which `/` and `.` have become `-`; only one that is there, and only if no
 * other could be meant.
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
    return [] // not ours to look into, so not what was meant
  }
}

function isFolder(entry: Dirent): boolean {
  return entry.isDirectory()
}
