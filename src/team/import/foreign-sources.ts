import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from "node:fs"
import { basename, dirname, join, relative, resolve, sep } from "node:path"
import { safePath } from "../../disk/safe-paths.ts"
import { listFolder, readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { isRulesFile } from "../../formats/text.ts"
import { isAdr, readAdrs } from "./adr.ts"
import {
  isBasicMemory,
  isClaudeMemory,
  isCodexMemory,
  readBasicMemory,
  readClaudeMemory,
  readCodexMemory,
} from "./agent-notes.ts"
import { readClaudeMem } from "./claude-mem.ts"
import { type ForeignEntry, type ForeignFile, type ForeignFormat, foreignFormats } from "./foreign-entry.ts"
import { isClineFile, pointsTo, readCline, readRules } from "./rules-files.ts"
import { brokenLines, isServerMemory, readServerMemory } from "./server-memory.ts"

/** What another tool's file or folder holds. */
export type ForeignSource = {
  format: ForeignFormat
  entries: ForeignEntry[]
  /** Records that cannot be read. */
  broken: { file: string; line: number; reason: string }[]
  /** What was left out on purpose, and why. */
  skipped: { reason: string; count: number }[]
}

/** Reads mem0's export; undefined for other files. */
export type ReadMem0 = (
  path: string,
  text: string,
) =>
  | {
      memories: { line: number; id?: string; text: string; at: number | undefined }[]
      broken: { line: number; reason: string }[]
    }
  | undefined

export type SourcePlace = { root: string; readMem0: ReadMem0 }

/** Reads another tool's file or folder in the given format, or in the one that its content shows. */
export function readForeignSource(path: string, format: ForeignFormat | undefined, place: SourcePlace): ForeignSource {
  if (!existsSync(path)) throw new DreyError(`${path} does not exist`)
  if (isSqlite(path) || format === "claude-mem") {
    const read = isSqlite(path) ? readClaudeMem(path, basename(place.root)) : undefined
    if (!read) throw new DreyError(`${path} is not claude-mem's database`)
    return { format: "claude-mem", broken: [], ...read }
  }
  const files = readForeignFiles(path)
  const chosen = format ?? detectFormat(path, files, place)
  if (chosen === undefined)
    throw new DreyError(`Could not detect the format of ${path}`, {
      hint: `Pass the format: --format ${foreignFormats.join("|")}`,
    })
  return readAs(chosen, path, files, place)
}

function readAs(
  format: ForeignFormat,
  path: string,
  files: ForeignFile[],
  { root, readMem0 }: SourcePlace,
): ForeignSource {
  const source = (entries: ForeignEntry[], more: Partial<ForeignSource> = {}): ForeignSource => {
    return { format, entries, broken: [], skipped: [], ...more }
  }
  switch (format) {
    case "adr":
      return source(readAdrs(files))
    case "rules":
      return source(readRules(withFollowed(path, files, root)))
    case "server-memory":
      return source(readServerMemory(files), { broken: brokenLines(files) })
    case "cline":
      return source(readCline(files))
    case "claude-memory": {
      const entries = readClaudeMemory(files)
      const count = files.filter(({ text }) => /^---\n[\s\S]{0,2000}?^[ \t]*type:[ \t]*user[ \t]*$/m.test(text)).length
      return source(entries, { skipped: count > 0 ? [{ reason: "private notes about the user", count }] : [] })
    }
    case "codex-memory": {
      const entries = readCodexMemory(files, root)
      const count = readCodexMemory(files, undefined).length - entries.length
      return source(entries, { skipped: count > 0 ? [{ reason: "of other projects", count }] : [] })
    }
    case "basic-memory":
      return source(readBasicMemory(files))
    case "mem0": {
      const read = files.map((file) => ({ file, store: readMem0(file.path, file.text) }))
      return source(
        read.flatMap(({ file, store }) => (store?.memories ?? []).flatMap((memory) => mem0Entry(file.path, memory))),
        {
          broken: read.flatMap(({ file, store }) =>
            (store?.broken ?? []).map((each) => ({ file: file.path, ...each })),
          ),
        },
      )
    }
    case "claude-mem":
      throw new DreyError(`${path} is not claude-mem's database`)
    case "commits":
      throw new DreyError(`${path} is not the .git of a repository`)
  }
}

type Mem0Memory = NonNullable<ReturnType<ReadMem0>>["memories"][number]

function mem0Entry(file: string, { line, id, text, at }: Mem0Memory): ForeignEntry[] {
  const title = text.split("\n", 1)[0]?.trim() ?? ""
  if (title === "") return []
  const base = { authors: [], tags: ["mem0"], supersedes: [], extensions: [] }
  const date = at === undefined ? {} : { date: new Date(at).toISOString().slice(0, 10) }
  return [
    {
      ...base,
      key: id ?? text,
      file,
      line,
      type: "memory",
      title,
      ...(text === title ? {} : { details: text }),
      ...date,
    },
  ]
}

/** Detects by content which tool wrote these files; undefined if none is recognised. */
export function detectFormat(
  path: string,
  files: readonly ForeignFile[],
  { readMem0 }: Pick<SourcePlace, "readMem0">,
): ForeignFormat | undefined {
  if (files.some(isServerMemory)) return "server-memory"
  if (files.some((file) => /\.(?:json|jsonl|ndjson)$/i.test(file.path) && isMem0(file, readMem0))) return "mem0"
  if (files.some(isCodexMemory)) return "codex-memory"
  if (files.some(isClaudeMemory)) return "claude-memory"
  if (files.filter(isClineFile).length >= Math.min(2, files.length)) return "cline"
  const isAdrFolder = /^(?:adrs?|decisions|decision-records|architecture-decisions|adl)$/i.test(basename(resolve(path)))
  if (files.some(isAdr) || (isAdrFolder && files.some(({ text }) => /^#+ .*\bdecision/im.test(text)))) return "adr"
  if (files.some(isBasicMemory)) return "basic-memory"
  const below = relative(dirname(dirname(dirname(resolve(path)))), resolve(path)).replaceAll(sep, "/") // `.cursor/rules/x.mdc`, also when named alone
  if (files.some((file) => isRulesFile(file.path) || isRulesFile(`${below}/${file.path}`) || isRulesFile(below)))
    return "rules"
  return undefined
}

function isMem0({ path, text }: ForeignFile, readMem0: ReadMem0): boolean {
  return readMem0(path, text) !== undefined
}

/** Whether a path is a single JSON document as Squad and Drey export it. */
export function isBundle(path: string, readMem0: ReadMem0): boolean {
  if (!existsSync(path)) throw new DreyError(`${path} does not exist`)
  if (statSync(path).isDirectory() || !/\.json$/i.test(path)) return false
  const file = { path, text: readTextFile(path).text }
  return !isServerMemory(file) && !isMem0(file, readMem0)
}

function isSqlite(path: string): boolean {
  if (!statSync(path).isFile()) return false
  const start = Buffer.alloc(15)
  const file = openSync(path, "r")
  try {
    readSync(file, start, 0, 15, 0)
  } finally {
    closeSync(file)
  }
  return start.toString("latin1") === "SQLite format 3"
}

/** The file, or all text below the folder, with paths relative to it. */
function readForeignFiles(path: string): ForeignFile[] {
  if (!statSync(path).isDirectory()) return [{ path: basename(path), text: readTextFile(path).text }]
  const files = namesBelow(path, "").map((name) => ({ path: name, text: readTextFile(join(path, name)).text }))
  if (files.length === 0) throw new DreyError(`${path} contains no Markdown or JSON lines files`)
  return files
}

const passedOver = /^(?:\.git|\.squad|\.ai-team|node_modules|dist|build|vendor|rollout_summaries)$/

function namesBelow(folder: string, below: string): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((item) => {
      const name = `${below}${item.name}`
      if (item.isDirectory()) return passedOver.test(item.name) ? [] : namesBelow(folder, `${name}/`)
      return item.isFile() && (/\.(?:mdc?|jsonl)$/i.test(item.name) || isRulesFile(item.name)) ? [name] : []
    })
}

const deepest = 5

/** Adds the files that a rules file imports (`@docs/style.md`) or only points to ("See AGENTS.md"), inside the repository. */
function withFollowed(path: string, files: readonly ForeignFile[], root: string): ForeignFile[] {
  const folder = statSync(path).isDirectory() ? path : dirname(path)
  const found = new Map(files.map((file) => [file.path, file]))
  let open = [...files]
  for (let depth = 0; depth < deepest && open.length > 0; depth++) {
    open = open.flatMap(({ path: from, text }) =>
      pointsTo(text).flatMap((target) => {
        const absolute = resolve(folder, dirname(from), target)
        const name = relative(folder, absolute).replaceAll(sep, "/")
        if (found.has(name) || !isFileInside(root, absolute)) return []
        const file = { path: name, text: readTextFile(absolute, { name }).text }
        found.set(name, file)
        return [file]
      }),
    )
  }
  return [...found.values()]
}

/** A clone must not make Drey read a file outside of it. */
function isFileInside(root: string, absolute: string): boolean {
  if (!existsSync(absolute) || !statSync(absolute).isFile()) return false
  try {
    safePath(root, relative(root, absolute))
    return true
  } catch (error) {
    if (error instanceof DreyError) return false
    throw error
  }
}

/** Something of another tool that `drey import` can read, found in the usual places. */
export type FoundSource = {
  /** As `drey import` takes it; absolute if it is outside of the repository. */
  path: string
  format: ForeignFormat
  entries: number
  skipped: ForeignSource["skipped"]
  /** Coding agents read it by themselves: copying its rules would give agents each of them twice. */
  isReadByAgents: boolean
}

const recordFolders = ["adr", "adrs", "ADR", "decisions", "architecture-decisions"]

export type Homes = { home: string; environment: NodeJS.ProcessEnv }

const inRepository = [
  ..."AGENTS.md AGENT.md CLAUDE.md .claude/CLAUDE.md .claude/rules GEMINI.md .github/copilot-instructions.md".split(
    " ",
  ),
  ..."CONVENTIONS.md .github/instructions .cursorrules .cursor/rules .windsurfrules .windsurf/rules .clinerules".split(
    " ",
  ),
  ..."docs doc . architecture docs/architecture"
    .split(" ")
    .flatMap((folder) => recordFolders.map((name) => join(folder, name))),
  ..."memory-bank MEMORY.md memory.jsonl memory.json mem0.json".split(" "),
]

/** Finds rules, decision records and the memories of other tools, in the repository and in the user's home. */
export function findForeignSources(place: SourcePlace, { home, environment }: Homes): FoundSource[] {
  const { root } = place
  const claude = join(
    environment.CLAUDE_CONFIG_DIR || join(home, ".claude"),
    "projects",
    root.replace(/[^A-Za-z0-9-]/g, "-"),
    "memory",
  )
  const outside = [
    claude,
    join(environment.CODEX_HOME || join(home, ".codex"), "memories", "MEMORY.md"),
    join(environment.CLAUDE_MEM_DATA_DIR || join(home, ".claude-mem"), "claude-mem.db"),
    join(home, "basic-memory", basename(root)),
  ]
  const seen = new Set<string>()
  return [
    ...inRepository.map((path) => ({ path, absolute: join(root, path) })),
    ...outside.map((path) => ({ path, absolute: path })),
  ].flatMap(({ path, absolute }) => {
    if (!exactlyExists(absolute)) return []
    try {
      const { format, entries, skipped } = readForeignSource(absolute, undefined, place)
      const fresh = entries.filter(
        ({ title, details = "" }) => !seen.has(`${title}\n${details}`) && seen.add(`${title}\n${details}`),
      )
      if (fresh.length === 0) return []
      const isReadByAgents = /(?:^|\/)(?:agents?|claude)\.md$/i.test(path)
      return [{ path, format, entries: fresh.length, skipped, isReadByAgents }]
    } catch (error) {
      if (error instanceof DreyError) return [] // unreadable or unknown: `drey import` with its path shows the reason
      throw error
    }
  })
}

/** On a disk that ignores case, `docs/adr` is `docs/ADR`: only the name that is really there counts. */
function exactlyExists(path: string): boolean {
  return existsSync(path) && (listFolder(dirname(path)) ?? []).some(({ name }) => name === basename(path))
}
