import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * Keeps only the declarations that the entries lead to, since the others cannot be imported, and puts zod's beside them: zod's code is
 * in the bundle, so who installs Drey has no such package, and types made with it would be `any`.
 */
export function bundleTypes(folder, entries) {
  const root = resolve(folder)
  const zod = dirname(fileURLToPath(import.meta.resolve("zod")))
  const own = followed(
    entries.map((name) => join(root, `${name}.d.ts`)),
    /\.ts$/,
  )
  removeOthers(root, own)
  for (const path of own) {
    const text = readFileSync(path, "utf8")
    const named = text.replaceAll('from "zod"', `from "${relative(dirname(path), join(root, "zod"))}/index.js"`)
    if (named !== text) writeFileSync(path, named)
  }
  for (const path of followed([join(zod, "index.d.ts")], /\.js$/)) {
    const copy = join(root, "zod", relative(zod, path))
    mkdirSync(dirname(copy), { recursive: true })
    copyFileSync(path, copy)
  }
  copyFileSync(join(zod, "LICENSE"), join(root, "zod", "LICENSE"))
}

/** These declarations and all that they lead to; `ending` is how they name files. */
function followed(starts, ending) {
  const reached = new Set()
  const follow = (path) => {
    if (reached.has(path)) return
    reached.add(path)
    for (const [, name] of readFileSync(path, "utf8").matchAll(/(?:from |import\()"(\.[^"]+)"/g)) {
      follow(resolve(dirname(path), name.replace(ending, ".d.ts")))
    }
  }
  starts.forEach(follow)
  return reached
}

function removeOthers(folder, reached) {
  for (const path of readdirSync(folder).map((name) => join(folder, name))) {
    if (statSync(path).isDirectory()) removeOthers(path, reached)
    else if (!reached.has(path)) rmSync(path)
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}
