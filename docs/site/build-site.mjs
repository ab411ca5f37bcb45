// Builds docs/ into docs/site/dist: the pages as they are, a front page from the README, the SDK from its types, the HTTP API from openapi.json.
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describeApi } from "./describe-api.mjs"

const site = fileURLToPath(new URL(".", import.meta.url))
const docs = join(site, "..")
const root = join(docs, "..")
const pages = join(site, ".cache", "pages")

if (!existsSync(join(site, "node_modules"))) {
  console.log("Installing the site's own tools (npm install in docs/site)…")
  run("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"])
}
rmSync(pages, { recursive: true, force: true })
mkdirSync(join(pages, "public"), { recursive: true })
gatherPages()
await writeReference()
run(process.execPath, [join(site, "node_modules", "vitepress", "bin", "vitepress.js"), "build", site])
console.log(`The site is in ${join(site, "dist")}.`)

function gatherPages() {
  for (const name of readdirSync(docs)) {
    if (name.endsWith(".md")) writePage(name, readFileSync(join(docs, name), "utf8"))
    if (name.endsWith(".json")) cpSync(join(docs, name), join(pages, "public", name))
  }
  cpSync(join(docs, "screenshots"), join(pages, "screenshots"), { recursive: true })
  cpSync(join(root, "templates"), join(pages, "public", "templates"), { recursive: true })
  for (const name of ["ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"]) {
    writePage(name.toLowerCase(), readFileSync(join(root, name), "utf8"))
  }
  const readme = readFileSync(join(root, "README.md"), "utf8")
  writePage(
    "start.md",
    readme.replace(
      /<picture>[\s\S]*?<\/picture>/,
      "![What an agent is handed, and why](docs/screenshots/context-light.png)",
    ),
  )
  writePage("http-api.md", describeApi(JSON.parse(readFileSync(join(docs, "openapi.json"), "utf8"))))
  const tagline = /^# .*\n\n([\s\S]*?)\n\n/.exec(readme)?.[1]?.replaceAll("\n", " ") ?? ""
  writePage("index.md", frontPage(tagline))
}

/** Links are written for readers of the repository; here all pages are in one folder, and other files are served as they are. */
function writePage(name, text) {
  const linked = text
    .replace(/\]\(docs\//g, "](")
    .replace(/\]\((?:\.\.\/)?(ARCHITECTURE|CONTRIBUTING|SECURITY)\.md/g, (_, page) => `](${page.toLowerCase()}.md`)
    .replace(/\]\((?:\.\.\/)?README\.md/g, "](start.md")
    .replace(/\]\((?:\.\.\/)?(templates\/[^)]+|[a-z.]+\.json)\)/g, (_, path) => `](/${path})`)
  writeFileSync(join(pages, name), linked)
}

/** TypeDoc works with TypeScript 6, the last with an interface for such tools; the declarations are read as the sources say. */
async function writeReference() {
  const { Application } = await import("typedoc")
  const app = await Application.bootstrapWithPlugins({
    plugin: ["typedoc-plugin-markdown"],
    name: "The SDK, name by name",
    outputs: [{ name: "markdown", path: join(pages, "sdk-reference") }],
    entryFileName: "index",
    hidePageHeader: true,
    hideBreadcrumbs: true,
    entryPoints: ["index", "formats", "squad-sdk"].map((name) => join(root, "src", `${name}.ts`)),
    tsconfig: join(root, "tsconfig.types.json"),
    readme: "none",
    skipErrorChecking: true,
    excludeInternal: true,
    disableSources: true,
    logLevel: "Error",
    validation: { notExported: false },
  })
  const project = await app.convert()
  if (project === undefined) throw new Error("TypeDoc could not read the types.")
  const names = { index: "drey", formats: "drey/formats", "squad-sdk": "drey/squad-sdk" }
  for (const child of project.children ?? []) child.name = names[child.name] ?? child.name
  await app.generateOutputs(project)
}

function frontPage(tagline) {
  return `---
layout: home
hero:
  name: Drey
  text: One memory for a team of coding agents
  tagline: ${JSON.stringify(tagline.replace(/^One memory for a team of coding agents\. /, ""))}
  actions:
    - { theme: brand, text: Quick start, link: /quick-start }
    - { theme: alt, text: Guides, link: /guides }
    - { theme: alt, text: Commands, link: /cli }
---
`
}

function run(command, args) {
  const env = { ...process.env, VITE_EXTRA_EXTENSIONS: "service,sh" } // further endings of files that are not pages
  execFileSync(command, args, { cwd: site, env, stdio: "inherit", shell: process.platform === "win32" })
}
