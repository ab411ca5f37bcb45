import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The package's folder of assets, wherever this module was bundled to; undefined outside of the package. */
export function findAssets(): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url))
  for (;;) {
    if (isOurs(join(folder, "package.json"))) return join(folder, "assets")
    const parent = dirname(folder)
    if (parent === folder) return undefined
    folder = parent
  }
}

function isOurs(manifest: string): boolean {
  return existsSync(manifest) && /"name":\s*"drey"/.test(readFileSync(manifest, "utf8"))
}
