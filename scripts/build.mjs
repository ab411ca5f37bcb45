// Builds dist/: one bundled file per entry point with shared lazy chunks, and the type declarations.
import { execFileSync } from "node:child_process"
import { chmodSync, readFileSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))
const { version } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"))

rmSync(`${root}/dist`, { recursive: true, force: true })
const common = {
  absWorkingDir: root,
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.12",
  external: ["@photostructure/sqlite"],
  define: { DREY_VERSION: JSON.stringify(version) },
  // Bundled CommonJS packages call require() for Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
  logLevel: "warning",
}
// The command line is built apart from the libraries: code shared with them would be cut into many small files, each slow to open.
await build({ ...common, entryPoints: { cli: "src/cli/main.ts" }, chunkNames: "cli/[name]-[hash]" })
await build({
  ...common,
  entryPoints: { index: "src/index.ts", formats: "src/formats.ts", "squad-sdk": "src/squad-sdk.ts" },
  chunkNames: "lib/[name]-[hash]",
})
chmodSync(`${root}/dist/cli.js`, 0o755)
execFileSync(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, "-p", "tsconfig.types.json"], {
  cwd: root,
  stdio: "inherit",
})
