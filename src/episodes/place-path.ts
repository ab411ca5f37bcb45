/** A file's path for memories: relative to the project's root, with slashes; the home folder outside of it as `~`. */
export function placePath(path: string, root: string | undefined): string {
  const written = slashed(path.trim())
  const below = root === undefined ? undefined : belowRoot(written, slashed(root))
  return below ?? written.replace(home, "~").replace(/^\.\//, "")
}

/** A command line or message without the project's root and home folders spelled out. */
export function placePaths(text: string, root: string | undefined): string {
  let placed = text
  if (root !== undefined && root.length > 3 && placed.includes(root)) {
    placed = placed.replaceAll(`${root}/`, "").replaceAll(`${root}\\`, "")
    if (placed.includes(root)) placed = placed.replaceAll(new RegExp(`${escaped(root)}(?![\\w.-])`, "g"), ".")
  }
  return placed.replace(homes, "~")
}

function slashed(path: string): string {
  return path.includes("\\") ? path.replaceAll("\\", "/") : path
}

function belowRoot(path: string, root: string): string | undefined {
  const top = root.endsWith("/") ? root.slice(0, -1) : root
  const isDrive = /^[a-z]:/i.test(top)
  const begins = isDrive ? path.slice(0, top.length).toLowerCase() === top.toLowerCase() : path.startsWith(top)
  if (!begins) return undefined
  if (path.length === top.length) return "."
  return path.charAt(top.length) === "/" ? path.slice(top.length + 1) : undefined
}

const home = /^(?:[A-Za-z]:)?\/(?:home|Users)\/[^/\s]{1,64}(?=\/|$)/
const homes = /(?<![\w./\\-])(?:[A-Za-z]:)?[/\\](?:home|Users)[/\\][^/\\\s"'`:;,)]{1,64}(?=[/\\\s"'`:;,)]|$)/g

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
}
