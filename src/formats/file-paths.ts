/** The paths in a text: words with a slash, an inner dot or an underscore, and words in backticks. */
export function pathsIn(text: string): string[] {
  const words = text.slice(0, longestText).split(/[\s"'()[\]{}<>,;]+/)
  const paths = words
    .filter((word) => word.length <= longestPath && /^`.+`$|[/_\\]|\w\.\w/.test(word))
    .map((word) => word.replace(/^[`@]+|[`.:!?]+$/g, ""))
    .flatMap((path) => (path.startsWith("/") ? endsOf(path) : path.replace(/^(?:\.\/)+/, "")))
    .map((path) => path.replace(/\/+$/, ""))
  return [...new Set(paths.filter((path) => path !== "" && !path.includes("..")))].slice(0, mostPaths)
}

/** All suffixes of an absolute path: the text does not say where the repository begins. */
function endsOf(path: string): string[] {
  const parts = path.split("/").filter(Boolean)
  return parts.map((_, at) => parts.slice(at).join("/"))
}

const longestPath = 300
const longestText = 20_000
const mostPaths = 50

/** Whether a file is the wanted one or in the wanted folder; `x.ts` and `src/x.ts` also mean one in a folder above. */
export function isFileMeant(path: string, wanted: string): boolean {
  const asked = plainPath(wanted)
  return isInside(path, asked) || `/${plainPath(path)}`.endsWith(`/${asked}`)
}

/** Whether a path equals the prefix or is below it; both relative to the repository root. */
export function isInside(path: string, prefix: string): boolean {
  return `${plainPath(path)}/`.startsWith(`${plainPath(prefix)}/`)
}

/** The path and all its parent folders. */
export function foldersOf(path: string): string[] {
  const parts = plainPath(path).split("/")
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"))
}

/** With slashes, and without a slash at the end, empty parts and `.`; `..` is resolved. */
export function plainPath(path: string): string {
  const parts: string[] = []
  for (const part of path.replace(/\\/g, "/").split("/")) {
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop()
    else if (part !== "" && part !== ".") parts.push(part)
  }
  return `${/^[\\/]/.test(path) ? "/" : ""}${parts.join("/")}`
}
