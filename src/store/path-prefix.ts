import { parsePathPrefix } from "../formats/path-prefix.ts"

/** The innermost folder containing all of these files; undefined when that is the repository root. */
export function sharedFolder(files: readonly string[]): string | undefined {
  const folders = files.map((file) => parsePathPrefix(file)?.split("/").slice(0, -1))
  const [first, ...others] = folders
  if (!first) return undefined
  const length = others.reduce((shared, folder) => {
    const differs = first.findIndex((part, at) => part !== folder?.[at])
    return Math.min(shared, differs === -1 ? first.length : differs)
  }, first.length)
  return length === 0 ? undefined : first.slice(0, length).join("/")
}

export function isInside(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`)
}
