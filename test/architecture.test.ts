import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { expect, test } from "vitest"

const source = resolve(import.meta.dirname, "..", "src")
const app = resolve(import.meta.dirname, "..", "ui")

/** Who may import whom, folder by folder; files directly in `src` stand for themselves. Types may come from anywhere below. */
const mayImport: Record<string, string[]> = {
  "agent.ts": ["config.ts", "errors.ts"],
  "errors.ts": [],
  "formats.ts": ["formats"],
  "config.ts": ["disk", "errors.ts"],
  "drey.ts": [
    "config.ts",
    "connect",
    "disk",
    "embedders",
    "errors.ts",
    "formats",
    "governance",
    "learning",
    "recall",
    "sessions",
    "squad",
    "store",
    "team",
    "upkeep",
    "writer",
  ],
  "keep-compiled.ts": ["config.ts"],
  "keep-notes.ts": ["errors.ts"],
  "keep-synced.ts": ["config.ts", "drey.ts", "team"],
  "quick-drey.ts": ["config.ts", "recall", "squad", "upkeep"],
  "quick-guards.ts": ["recall", "squad"],
  "index.ts": ["drey.ts", "errors.ts", "formats", "sessions", "squad"],
  "squad-sdk.ts": ["cli", "disk", "drey.ts", "errors.ts", "formats", "governance", "squad"],
  formats: [],
  disk: ["errors.ts"],
  embedders: ["disk", "errors.ts"],
  index: ["disk", "errors.ts", "formats"],
  clients: ["disk", "errors.ts", "formats"],
  store: ["disk", "errors.ts", "formats", "governance"],
  episodes: ["disk", "formats", "governance", "index"],
  writer: ["disk", "episodes", "errors.ts", "formats", "governance", "squad", "store"],
  upkeep: ["disk", "errors.ts", "formats", "governance", "squad"],
  recall: ["disk", "embedders", "errors.ts", "formats", "governance", "index", "squad", "store"],
  learning: [
    "clients",
    "disk",
    "embedders",
    "episodes",
    "errors.ts",
    "formats",
    "governance",
    "squad",
    "store",
    "upkeep",
    "writer",
  ],
  team: [
    "config.ts",
    "disk",
    "embedders",
    "episodes",
    "errors.ts",
    "formats",
    "governance",
    "index",
    "learning",
    "recall",
    "store",
    "upkeep",
    "writer",
  ],
  connect: ["clients", "disk", "errors.ts", "formats", "squad"],
  governance: ["disk", "errors.ts", "formats"],
  squad: ["config.ts", "disk", "errors.ts", "formats", "governance"],
  sessions: ["disk", "embedders", "errors.ts", "formats", "governance", "index", "squad"],
  hooks: [
    "agent.ts",
    "clients",
    "config.ts",
    "disk",
    "drey.ts",
    "formats",
    "keep-compiled.ts",
    "quick-drey.ts",
    "quick-guards.ts",
    "team",
  ],
  mcp: ["config.ts", "disk", "drey.ts", "errors.ts", "formats", "keep-synced.ts"],
  rpc: ["config.ts", "disk", "drey.ts", "errors.ts", "formats", "keep-notes.ts", "keep-synced.ts"],
  web: ["config.ts", "disk", "drey.ts", "errors.ts", "formats", "governance", "keep-notes.ts", "keep-synced.ts"],
  cli: [
    "agent.ts",
    "drey.ts",
    "errors.ts",
    "formats",
    "governance",
    "hooks",
    "keep-compiled.ts",
    "mcp",
    "quick-drey.ts",
    "rpc",
    "team",
    "web",
  ],
}

test("every folder and file of src is in the import table", () => {
  const present = readdirSync(source).filter((name) => !name.endsWith(".test.ts"))
  expect(present.sort()).toEqual(Object.keys(mayImport).sort())
})

test("imports run one way: faces, drey, things, governance, disk, formats", () => {
  const broken = sourceFiles(source)
    .filter((path) => !isForTests(path))
    .flatMap((path) =>
      importsOf(path)
        .filter((target) => !isAllowed(partOf(path), partOf(target)))
        .map((target) => `${name(path)} imports ${name(target)}`),
    )
  expect(broken).toEqual([])
})

test("the formats use nothing of Node, so that they run in a browser", () => {
  const broken = sourceFiles(join(source, "formats"))
    .filter((path) => !path.endsWith(".test.ts"))
    .filter((path) => /from "node:|import\("node:/.test(readFileSync(path, "utf8")))
  expect(broken.map(name)).toEqual([])
})

test("the browser app takes nothing from src but the formats and types", () => {
  const broken = sourceFiles(app)
    .filter((path) => !isForTests(path))
    .flatMap((path) =>
      importsOf(path)
        .filter((target) => target.startsWith(source + sep) && partOf(target) !== "formats")
        .map((target) => `${relative(app, path)} imports ${name(target)}`),
    )
  expect(broken).toEqual([])
})

test("nothing is exported as default", () => {
  const files = [...sourceFiles(source), ...sourceFiles(app)].filter((path) => !path.endsWith(".config.ts"))
  const broken = files.filter((path) => /^export default/m.test(readFileSync(path, "utf8")))
  expect(broken.map(name)).toEqual([])
})

/** Tests, and what only they use: `test-events.ts`. */
function isForTests(path: string): boolean {
  return /(?:\.test|[/\\]test-[\w-]+)\.ts$/.test(path)
}

function isAllowed(from: string, to: string): boolean {
  return from === to || mayImport[from]?.includes(to) === true
}

/** Files whose values a file imports, at once or later; `import type` needs nothing at run time and is left out. */
function importsOf(path: string): string[] {
  const text = readFileSync(path, "utf8")
  const specifiers = [
    ...text.matchAll(/^(?:import|export)\s+(?!type\b)[^"';]*?from\s+"(\.[^"]+)"/gm),
    ...text.matchAll(/^import\s+"(\.[^"]+)"/gm),
    ...text.matchAll(/\bimport\("(\.[^"]+)"\)/g),
  ]
  return specifiers.map((match) => resolve(dirname(path), match[1] ?? ""))
}

function partOf(path: string): string {
  return relative(source, path).split(sep)[0] ?? ""
}

function name(path: string): string {
  return relative(source, path).split(sep).join("/")
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((entry) => {
    const path = join(folder, entry)
    return statSync(path).isDirectory() ? sourceFiles(path) : /\.tsx?$/.test(path) ? [path] : []
  })
}
