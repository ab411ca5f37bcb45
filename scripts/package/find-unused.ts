import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"

type Manifest = { bin: Record<string, string>; exports: Record<string, unknown>; imports: Record<string, string> }

/** The code and declarations of a package that none of its entries leads to, by whatever path they name, and every source map. */
export function findUnused(folder: string, { bin, exports, imports }: Manifest): string[] {
  const reached = new Set<string>()
  const follow = (path: string) => {
    if (reached.has(path)) return
    reached.add(path)
    for (const [, named = ""] of readFileSync(path, "utf8").matchAll(/["'`](\.{1,2}\/[^"'`\s]+)["'`]/g)) {
      const target = resolve(dirname(path), path.endsWith(".d.ts") ? named.replace(/\.[jt]s$/, ".d.ts") : named)
      if (existsSync(target) && statSync(target).isFile()) follow(target)
    }
  }
  for (const entry of [bin, exports, imports].flatMap(pathsIn)) follow(resolve(folder, entry))
  return filesIn(join(folder, "dist"))
    .filter((path) => path.endsWith(".map") || (/\.(?:c?js|ts)$/.test(path) && !isOfApp(path) && !reached.has(path)))
    .map((path) => relative(folder, path))

  /** The browser app's files name one another by hashes; its bundler leaves none that it does not need. */
  function isOfApp(path: string): boolean {
    return path.startsWith(join(folder, "dist", "ui"))
  }
}

function pathsIn(value: unknown): string[] {
  return typeof value === "string" ? [value] : Object.values(value as object).flatMap(pathsIn)
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((item) => {
    const path = join(folder, item.name)
    return item.isDirectory() ? filesIn(path) : [path]
  })
}
