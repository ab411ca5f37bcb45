import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { expect, test } from "vitest"

const source = resolve(import.meta.dirname, "..", "src")
const app = resolve(import.meta.dirname, "..", "ui")

/** Who may import whom, folder by folder; files directly in `src` stand for themselves. Types may come from anywhere below. */
const mayImport: Record<string, string[]> = {
  "agent.ts": ["config.ts", "disk", "errors.ts"],
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
    "trust.ts",
    "upkeep",
    "writer",
  ],
  "keep-compiled.ts": ["config.ts"],
  "keep-notes.ts": ["errors.ts"],
  "keep-synced.ts": ["config.ts", "drey.ts", "team"],
  "limit-connections.ts": [],
  "quick-drey.ts": ["config.ts", "recall", "squad", "trust.ts", "upkeep"],
  "quick-guards.ts": ["recall", "squad", "trust.ts"],
  "trust.ts": ["config.ts", "connect", "disk", "errors.ts", "recall", "squad", "store"],
  "index.ts": ["drey.ts", "errors.ts", "formats", "sessions", "squad"],
  "squad-sdk.ts": ["cli", "config.ts", "disk", "drey.ts", "errors.ts", "formats", "governance", "squad"],
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
    "governance",
    "keep-compiled.ts",
    "quick-drey.ts",
    "quick-guards.ts",
    "team",
    "trust.ts",
  ],
  mcp: ["config.ts", "disk", "drey.ts", "errors.ts", "formats", "keep-synced.ts", "limit-connections.ts"],
  rpc: ["config.ts", "disk", "drey.ts", "errors.ts", "formats", "keep-notes.ts", "keep-synced.ts"],
  web: [
    "config.ts",
    "disk",
    "drey.ts",
    "errors.ts",
    "formats",
    "governance",
    "keep-notes.ts",
    "keep-synced.ts",
    "limit-connections.ts",
  ],
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
    "trust.ts",
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

/** `answer-hook.ts` speaks to a client's program, `ask.ts` has the terminal echo what is typed. */
const writers = ["cli/write-out.ts", "cli/answer-hook.ts", "cli/ask.ts"]

test("the command line writes in one place, which keeps from the terminal what could steer it", () => {
  const writing = /\bconsole\.|\bwriteSync\b|process\.std(?:out|err)\b(?!\.(?:isTTY|rows|columns|on\("error"))/
  const broken = sourceFiles(join(source, "cli"))
    .filter((path) => !isForTests(path) && !writers.includes(name(path)))
    .filter((path) => writing.test(readFileSync(path, "utf8")))
  expect(broken.map(name)).toEqual([])
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

/** Whoever starts a program, and which; all else asks one of these. */
const startsPrograms: Record<string, string> = {
  "disk/git.ts": "git, in the one way in which a clone cannot make it start anything else",
  "writer/run-command.ts": "the writer that the user's own settings name",
  "hooks/start-in-background.ts": "Drey itself",
  "rpc/start-watch.ts": "Drey itself",
  "cli/demo/open-stage.ts": "Drey itself, and git in the demo's own folder",
  "cli/demo/show-ui.ts": "Drey itself",
  "cli/write-out.ts": "the user's pager",
  "web/open-browser.ts": "the user's browser",
  "clients/wiring/opencode-plugin.ts": "Drey, from the text of the plugin that OpenCode loads",
}

test("only these files start programs, and only one of them starts git", () => {
  const files = sourceFiles(source).filter((path) => !isForTests(path))
  const starting = files.filter((path) => /\bchild_process\b/.test(readFileSync(path, "utf8")))
  expect(starting.map(name).sort()).toEqual(Object.keys(startsPrograms).sort())
  const startingGit = starting.filter((path) => /["'`]git(?:\.exe)?["'`]/.test(readFileSync(path, "utf8")))
  expect(startingGit.map(name)).toEqual(["disk/git.ts"])
})

/** Files outside of `disk` that change files by themselves, and why they may. */
const mayChangeFiles: Record<string, string> = {
  "cli/commands/demo.ts": "makes and removes the demo's own temporary folder",
  "cli/demo/later-session.ts": "writes into that folder",
  "cli/demo/lay-out-sample.ts": "writes into that folder",
  "cli/demo/open-stage.ts": "writes into that folder",
  "squad-sdk.ts": "FSStorageProvider is a program's own storage: it names the paths",
}

/** All of Node's functions that write, rename, delete, truncate, link, make folders or change modes and times. */
const changesFiles =
  /^l?f?(?:appendFile|chmod|chown|copyFile|cp|createWriteStream|link|mkdir|mkdtemp|mkdtempDisposable|rename|rm|rmdir|symlink|truncate|unlink|utimes|writeFile|promises)(?:Sync)?$/

test("files are changed through src/disk alone, where one function decides which paths may be", () => {
  const changing = sourceFiles(source)
    .filter((path) => !isForTests(path) && !path.endsWith("-contract.ts") && partOf(path) !== "disk")
    .filter((path) => canChangeFiles(readFileSync(path, "utf8")))
  expect(changing.map((path) => name(path)).sort()).toEqual(Object.keys(mayChangeFiles).sort())
})

test.each([
  'import { rmSync } from "node:fs"',
  'import { existsSync, type Stats, writeFileSync as write } from "fs"',
  'import { rename } from "node:fs/promises"',
  'import * as fs from "node:fs"',
  'import fs from "node:fs"',
  'const { rmSync } = await import("node:fs")',
  'const fs = require("fs/promises")',
  'import { openSync } from "node:fs"\nopenSync(path, "a", 0o600)',
  'import { openSync } from "node:fs"\nopenSync(path, constants.O_RDWR)',
])("the test above notices %j", (text) => {
  expect(canChangeFiles(text)).toBe(true)
})

test.each([
  'import { existsSync, readFileSync, type Stats } from "node:fs"',
  'import { readFile } from "node:fs/promises"',
  'import { openSync } from "node:fs"\nopenSync(path, "r")',
  'import { openSync } from "node:fs"\nopenSync(path, constants.O_RDONLY | constants.O_NONBLOCK)',
])("the test above lets %j be", (text) => {
  expect(canChangeFiles(text)).toBe(false)
})

/** By what it imports of Node's fs: a function that changes files, all of them under one name, or files opened for more than reading. */
function canChangeFiles(text: string): boolean {
  if (/(?:import|require)\(\s*["'](?:node:)?fs(?:\/promises)?["']/.test(text)) return true
  const imports = [...text.matchAll(/import\s+([^"';]*?)\s+from\s+["'](?:node:)?fs(?:\/promises)?["']/g)]
  const isWhole = imports.some(([, what = ""]) => !what.trim().startsWith("{") && !what.trim().startsWith("type {"))
  const names = imports.flatMap(([, what = ""]) => what.replace(/[{}]/g, "").split(","))
  const opened = names
    .filter((each) => /^open(?:Sync)?$/.test(each.trim()))
    .flatMap((each) => [...text.matchAll(new RegExp(`(?<![\\w.])${each.trim()}\\(\\s*[^,]*,\\s*([^)]*)\\)`, "g"))])
    .map(([, how = ""]) => how.trim())
  const isForReading = (how: string) => /^(?:"r"|constants\.O_RDONLY(?:\s*\|\s*constants\.O_NONBLOCK)?)$/.test(how)
  return (
    isWhole ||
    names.some((each) => changesFiles.test(each.trim().split(/\s+as\s+/)[0] ?? "")) ||
    !opened.every(isForReading)
  )
}

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
