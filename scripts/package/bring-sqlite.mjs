import { copyFileSync, cpSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

/**
 * Puts the SQLite for Nodes whose own cannot search text into dist/: its code, and its binary for every system. As a dependency it would
 * run a script wherever Drey is installed, which compiles, or fails, where no binary fits. Returns esbuild's metadata of its code.
 */
export async function bringSqlite(root) {
  const entry = fileURLToPath(import.meta.resolve("@photostructure/sqlite")) // …/dist/index.mjs
  const folder = dirname(dirname(entry))
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry.replace(/\.mjs$/, ".cjs")],
    outfile: "dist/sqlite/dist/index.cjs", // it looks for its binaries in the folder above
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20.12",
    minify: true,
    metafile: true,
    logLevel: "warning",
  })
  cpSync(`${folder}/prebuilds`, `${root}/dist/sqlite/prebuilds`, { recursive: true })
  copyFileSync(`${folder}/LICENSE`, `${root}/dist/sqlite/LICENSE`)
  return metafile
}
