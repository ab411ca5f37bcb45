// Runs a TypeScript file of this repository, named from its root: bundles it beside the build's cache and imports the result.
import { mkdirSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))
const [file, ...rest] = process.argv.slice(2)
if (file === undefined) throw new Error("Name the file to run.")

const output = join(root, "node_modules", ".cache", "drey", `${basename(file, ".ts")}.mjs`)
mkdirSync(join(output, ".."), { recursive: true })
await build({
  absWorkingDir: root,
  entryPoints: [file],
  outfile: output,
  bundle: true,
  format: "esm",
  platform: "node",
  packages: "external",
  logLevel: "warning",
})
process.argv = [process.argv[0] ?? "node", output, ...rest]
await import(pathToFileURL(output).href)
