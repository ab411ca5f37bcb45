// Builds the extension into dist/: one entry for the browser, one for the desktop, and the worker that both start.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const folder = fileURLToPath(new URL(".", import.meta.url))
const out = join(folder, process.argv[2] ?? "dist")

// Its messages in forty languages are half of zod, and none of them is shown.
const oneLanguage = {
  name: "one-language",
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: 'export { default as en } from "./en.js"' }))
  },
}
const common = {
  absWorkingDir: folder,
  bundle: true,
  minify: true,
  target: "es2022",
  logLevel: "warning",
  external: ["vscode"],
  legalComments: "none",
}
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
await Promise.all([
  build({
    ...common,
    entryPoints: ["src/browser.ts"],
    outfile: join(out, "browser.js"),
    format: "cjs",
    platform: "browser",
  }),
  build({
    ...common,
    entryPoints: ["src/desktop.ts"],
    outfile: join(out, "desktop.js"),
    format: "cjs",
    platform: "node",
    target: "node18",
  }),
  build({
    ...common,
    entryPoints: ["src/model/worker.ts"],
    outfile: join(out, "worker.js"),
    format: "iife",
    platform: "browser",
    plugins: [oneLanguage],
  }),
])
const schema = join(out, "schema.cjs")
await build({
  ...common,
  stdin: { contents: 'export { agentMemoryJsonSchema } from "../src/formats.ts"', resolveDir: folder },
  outfile: schema,
  format: "cjs",
  platform: "node",
})
const { agentMemoryJsonSchema } = createRequire(import.meta.url)(schema)
rmSync(schema)
writeFileSync(join(out, "agent-memory.schema.json"), JSON.stringify(agentMemoryJsonSchema()))
writeFileSync(
  join(folder, "l10n", "bundle.l10n.json"),
  `${JSON.stringify(Object.fromEntries(messages().map((text) => [text, text])), null, 2)}\n`,
)

/** Every text that the source hands to `l10n.t`, in order: what a translator needs. */
function messages() {
  const source = readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  )
  const found = source.flatMap((name) =>
    [...readFileSync(join(folder, "src", name), "utf8").matchAll(/\bl10n\.t\(\s*"((?:[^"\\]|\\.)*)"/g)].map(
      ([, text]) => JSON.parse(`"${text}"`),
    ),
  )
  return [...new Set(found)].sort()
}
