// Runs changesets: node scripts/changeset.mjs [status | version | publish]. It takes the root of a workspace for a package only when the root
// is listed as a workspace, and npm would then link Drey into its own node_modules: so it is listed only while changesets runs.
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const manifest = `${root}/package.json`
const [usual, listed] = ['"workspaces": [\n    "bench"', '"workspaces": [\n    ".",\n    "bench"']

process.on("SIGINT", () => {}) // the questions can be interrupted, but package.json is restored
replaceInManifest(usual, listed)
try {
  const program = `${root}/node_modules/@changesets/cli/bin.js`
  const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], { cwd: root, stdio: "inherit" })
  process.exitCode = status ?? 1
} finally {
  replaceInManifest(listed, usual)
}

function replaceInManifest(before, after) {
  const text = readFileSync(manifest, "utf8")
  if (!text.includes(before)) throw new Error(`package.json does not contain ${before}`)
  writeFileSync(manifest, text.replace(before, after))
}
