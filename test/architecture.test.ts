import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { expect, test } from "vitest"

const source = resolve(import.meta.dirname, "..", "src")
const app = resolve(import.meta.dirname, "..", "ui")
const extension = resolve(import.meta.dirname, "..", "vscode", "src")

const below = "governance disk formats errors.ts"

/**
 * Who may import whom: the layers from top to bottom. A type may come from every layer below, a value only from what the line names.
 * Nothing is imported from above, or from another part of the same layer. `drey` is drey.ts and drey/.
 */
const layers: Record<string, string>[] = [
  // The package's entry points
  {
    "index.ts": "drey sessions formats errors.ts",
    "formats.ts": "formats governance",
    "squad-sdk.ts": `cli team config.ts ${below}`,
  },
  // Faces: parse a request, call a noun, show the result
  {
    cli: `mcp hooks rpc web drey trust.ts server config.ts ${below}`,
  },
  {
    hooks: `drey trust.ts recall team server clients config.ts log.ts ${below}`,
    mcp: "drey server config.ts disk formats errors.ts",
    rpc: "drey config.ts disk formats errors.ts",
    web: `drey server config.ts ${below}`,
  },
  // One repository
  { drey: `project.ts trust.ts learning recall sessions server team memories clients config.ts disk errors.ts` },
  { "project.ts": "trust.ts learning recall team memories index config.ts disk formats errors.ts" },
  { "trust.ts": "recall team memories clients config.ts disk formats errors.ts" },
  // Stages
  { server: `learning recall memories index config.ts ${below}` },
  { learning: `team memories index clients log.ts ${below}`, recall: `team memories index log.ts ${below}` },
  { sessions: `team index ${below}` },
  // Things
  { team: `config.ts ${below}`, memories: below, index: "disk formats", clients: "disk formats errors.ts" },
  // Ground
  { governance: "disk formats errors.ts" },
  { "config.ts": "disk formats errors.ts", "log.ts": "disk" },
  { disk: "formats errors.ts" },
  { formats: "", "errors.ts": "" },
]

const parts = layers.flatMap((layer) => Object.keys(layer))

test("every folder and file of src is in the import table", () => {
  const present = readdirSync(source).filter((name) => !name.endsWith(".test.ts"))
  expect([...new Set(present.map((name) => partOf(join(source, name))))].sort()).toEqual(parts.toSorted())
})

test("imports run one way, for values and types: faces, drey, stages, things, governance, disk, formats", () => {
  const broken = sourceFiles(source)
    .filter((path) => !isForTests(path))
    .flatMap((path) =>
      importsOf(path)
        .filter((imported) => !isAllowed(partOf(path), imported))
        .map(({ target, kind }) => `${name(path)} imports a ${kind} of ${name(target)}`),
    )
  expect(broken).toEqual([])
})

test("the import table lists values from lower layers alone", () => {
  const upwards = layers.flatMap((layer) =>
    Object.entries(layer).flatMap(([part, values]) =>
      values
        .split(" ")
        .filter((from) => from !== "" && layerOf(from) <= layerOf(part))
        .map((from) => `${part}: ${from}`),
    ),
  )
  expect(upwards).toEqual([])
})

test.each([
  ['import { a } from "./a.ts"', "value"],
  ['import {\n  a,\n  type B,\n} from "./a.ts"', "value"],
  ['import * as a from "./a.ts"', "value"],
  ['import "./a.ts"', "value"],
  ['export { a } from "./a.ts"', "value"],
  ['export * from "./a.ts"', "value"],
  ['const { a } = await import("./a.ts")', "value"],
  ['const a = () => import("./a.ts").then(({ open }) => open())', "value"],
  ['import type { A } from "./a.ts"', "type"],
  ['import type {\n  A,\n  B,\n} from "./a.ts"', "type"],
  ['export type { A } from "./a.ts"', "type"],
  ['let a: import("./a.ts").A', "type"],
  ['let a: typeof import("./a.ts")', "type"],
])("the import table notices %j as a %s", (text, kind) => {
  expect(importsIn(text)).toEqual([{ specifier: "./a.ts", kind }])
})

/** `print-now.ts` answers without loading the rest, `prompt.ts` has the terminal echo what is typed. */
const writers = ["cli/output.ts", "cli/print-now.ts", "cli/prompt.ts"]

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

/** What the browser app and the servers agree on: types. */
const contracts = ["recall/browse/app-api.ts", "server/api.ts"]

test("the browser app takes nothing from src but the formats and the types of its contracts", () => {
  const broken = sourceFiles(app)
    .filter((path) => !isForTests(path))
    .flatMap((path) =>
      importsOf(path)
        .filter(({ target }) => target.startsWith(source + sep) && partOf(target) !== "formats")
        .filter(({ target, kind }) => kind === "value" || !contracts.includes(name(target)))
        .map(({ target, kind }) => `${relative(app, path)} imports a ${kind} of ${name(target)}`),
    )
  expect(broken).toEqual([])
})

test("the editor extension takes nothing from src but drey/formats and the types of the app's contract", () => {
  const broken = sourceFiles(extension).flatMap((path) =>
    importsOf(path)
      .filter(({ target }) => target.startsWith(source + sep) && name(target) !== "formats.ts")
      .filter(({ target, kind }) => kind === "value" || name(target) !== "recall/browse/app-api.ts")
      .map(({ target, kind }) => `${relative(extension, path)} imports a ${kind} of ${name(target)}`),
  )
  expect(broken).toEqual([])
})

test("what drey/formats loads uses nothing of Node, so that it runs in a browser", () => {
  const seen = new Set<string>()
  const follow = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    for (const { target, kind } of importsOf(path)) if (kind === "value") follow(target)
  }
  follow(join(source, "formats.ts"))
  expect(seen.size).toBeGreaterThan(40)
  expect([...seen].filter((path) => /from "node:|import\("node:/.test(readFileSync(path, "utf8"))).map(name)).toEqual(
    [],
  )
})

/** Whoever starts a program, and which; all else asks one of these. */
const startsPrograms: Record<string, string> = {
  "disk/git.ts": "git, in the one way in which a clone cannot make it start anything else",
  "learning/writer/command-writer.ts": "the writer that the user's own settings name",
  "hooks/background-process.ts": "Drey itself",
  "rpc/on-entry.ts": "the command that the user set for new entries",
  "rpc/watch-process.ts": "Drey itself",
  "cli/demo/demo-stage.ts": "Drey itself, and git in the demo's own folder",
  "cli/commands/demo.ts": "Drey itself",
  "cli/output.ts": "the user's pager",
  "cli/text-editor.ts": "the user's editor",
  "web/browser.ts": "the user's browser",
  "clients/plugin.ts": "Drey, from the text of a plugin that OpenCode or Pi loads",
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
  "cli/demo/demo-script.ts": "writes into that folder",
  "cli/demo/demo-stage.ts": "writes into that folder",
  "cli/text-editor.ts": "hands a text to the user's editor in a temporary folder of its own",
  "squad-sdk.ts": "FSStorageProvider is a program's own storage: it names the paths",
}

/** All of Node's functions that write, rename, delete, truncate, link, make folders or change modes and times. */
const changesFiles =
  /^l?f?(?:appendFile|chmod|chown|copyFile|cp|createWriteStream|link|mkdir|mkdtemp|mkdtempDisposable|rename|rm|rmdir|symlink|truncate|unlink|utimes|writeFile|promises)(?:Sync)?$/

test("files are changed through src/disk alone, where one function decides which paths may be", () => {
  const changing = sourceFiles(source)
    .filter((path) => !isForTests(path) && partOf(path) !== "disk")
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

test("no type has the name of an exported type of another file", () => {
  const types = sourceFiles(source)
    .filter((path) => !isForTests(path))
    .flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/^(export )?(?:type|interface) (\w+)/gm)].map(([, exported, type]) => ({
        type,
        isExported: exported !== undefined,
        path,
      })),
    )
  const exported = new Map(types.filter(({ isExported }) => isExported).map(({ type, path }) => [type, path]))
  const twice = types.filter(({ type, path }) => exported.has(type) && exported.get(type) !== path)
  expect(twice.map(({ type, path }) => `${type} in ${name(path)}`)).toEqual([])
})

test("nothing is exported as default", () => {
  const files = [source, app, extension].flatMap(sourceFiles).filter((path) => !path.endsWith(".config.ts"))
  const broken = files.filter((path) => /^export default/m.test(readFileSync(path, "utf8")))
  expect(broken.map(name)).toEqual([])
})

/** Tests, and what only they use: `test-events.ts`. */
function isForTests(path: string): boolean {
  return /(?:\.test|-contract|[/\\]test-[\w-]+)\.ts$/.test(path)
}

type Import = { target: string; kind: "value" | "type" }

function isAllowed(from: string, { target, kind }: Import): boolean {
  const to = partOf(target)
  if (from === to) return true
  if (kind === "type") return layerOf(to) > layerOf(from)
  return layers[layerOf(from)]?.[from]?.split(" ").includes(to) === true
}

/** Counted from the top. */
function layerOf(part: string): number {
  return layers.findIndex((layer) => part in layer)
}

function importsOf(path: string): Import[] {
  return importsIn(readFileSync(path, "utf8")).map(({ specifier, kind }) => ({
    target: resolve(dirname(path), specifier),
    kind,
  }))
}

/** What a text imports of other files: values at once or later, and types, which need nothing at run time. */
function importsIn(text: string): { specifier: string; kind: Import["kind"] }[] {
  const declared = [...text.matchAll(/^(?:import|export)\s+(type\b)?[^"';]*?from\s+"(\.[^"]+)"/gm)]
  const called = [...text.matchAll(/(typeof\s+)?\bimport\("(\.[^"]+)"\)(?:\.(?!(?:then|catch|finally)\b))?/g)]
  return [
    ...declared.map(([, type, specifier = ""]) => ({ specifier, kind: kindOf(type !== undefined) })),
    ...[...text.matchAll(/^import\s+"(\.[^"]+)"/gm)].map(([, specifier = ""]) => ({ specifier, kind: kindOf(false) })),
    ...called.map(([whole, type, specifier = ""]) => ({
      specifier,
      kind: kindOf(type !== undefined || whole.endsWith(".")),
    })),
  ]
}

function kindOf(isType: boolean): Import["kind"] {
  return isType ? "type" : "value"
}

/** The folder or file directly in `src`; drey.ts and drey/ are one. */
function partOf(path: string): string {
  const part = relative(source, path).split(sep)[0] ?? ""
  return part === "drey.ts" ? "drey" : part
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
