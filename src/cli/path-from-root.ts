import { realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"

/** A path typed in `folder`, relative to the repository root. A path outside is returned unchanged. */
export function pathFromRoot(path: string, root: string, folder: string): string {
  const realRoot = realPath(root)
  const isInside = isWithin(relative(realRoot, realPath(folder)))
  const found = relative(realRoot, realPath(resolve(isInside ? folder : root, path)))
  return isWithin(found) ? found.split(sep).join("/") : path
}

/** Without links, also for a file that is not there yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    const parent = dirname(path)
    if (parent === path) throw error
    return join(realPath(parent), basename(path))
  }
}

function isWithin(path: string): boolean {
  return path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}
