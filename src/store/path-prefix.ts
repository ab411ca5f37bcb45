/** A folder or file of the repository as a memory names it: relative, with slashes, without `..` and a slash at the end; undefined when it is none. */
export function normalizePrefix(path: string): string | undefined {
  const parts = path
    .trim()
    .replaceAll("\\", "/")
    .split("/")
    .filter((part) => part !== "" && part !== ".")
  const isOutside = /^(?:[\\/~]|[a-z]:)/i.test(path.trim()) || parts.includes("..")
  return isOutside || parts.length === 0 ? undefined : parts.join("/")
}

/** The innermost folder that holds all of these files; undefined when that is the repository itself. */
export function sharedFolder(files: readonly string[]): string | undefined {
  const folders = files.map((file) => normalizePrefix(file)?.split("/").slice(0, -1))
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
