import { join } from "node:path"
import type { ToolCall } from "../../formats/client-events.ts"
import { programOf, splitCommand, unwrapCommands } from "../../formats/shell-command.ts"
import { hashTerm } from "../../index/term-hash.ts"

/** The compiled file; `stamp` identifies its inputs, `folders` those that some item is limited to. */
export type GuardsFile = { format: 1; stamp: string; guards: CompiledGuard[]; folders: string[] }

/** One sentence that forbids certain tool calls, with the patterns that detect them. */
export type CompiledGuard = {
  /** The id of its memory or entry; for a failed attempt, built from the session's and its own id. */
  id: string
  source: "learned" | "team" | "session"
  /** The user wants the client to ask before such a call. */
  ask: boolean
  text: string
  triggers: GuardTrigger
}

/** Any of these is enough. */
export type GuardTrigger = {
  commands: CommandPattern[]
  /** Files, folders and globs that are not to be changed, from the root of the repository. */
  paths: string[]
  /** Names that new text is not to bring in. */
  names: string[]
  /** Packages that are neither to be installed nor imported. */
  packages: string[]
  /** Limits the trigger to files below this path, and to commands that name it. */
  within?: string
}

/**
 * A program and the words after it, `*` for any word; a command that contains one of `unless` is accepted. With `branches`, only while one
 * of them is checked out.
 */
export type CommandPattern = { words: string[]; unless?: string[]; branches?: string[] }

const longestText = 20_000

/** The guards that forbid a call. Never throws; linear in the size of the call and the number of guards. */
export function matchGuards(guards: readonly CompiledGuard[], call: ToolCall): CompiledGuard[] {
  const concerned = guards.filter(({ triggers }) => mayConcern(triggers, call))
  if (concerned.length === 0) return [] // the common case, before the command is parsed
  const looked = lookAt(call)
  return concerned.filter(({ triggers }) => isForbiddenBy(triggers, looked))
}

function mayConcern({ commands, paths, names, packages }: GuardTrigger, { command = "", ...call }: ToolCall): boolean {
  if (call.text !== undefined && names.length + packages.length > 0) return true
  if (call.paths.length > 0 && paths.length > 0) return true
  const isNamed = (word: string) => word === "*" || command.includes(word)
  return command !== "" && (commands.some(({ words }) => isNamed(words[0] ?? "")) || packages.some(isNamed))
}

/** The facts about a call, computed once for all guards. */
type LookedAt = {
  command: string
  programs: readonly Program[]
  /** The names of these programs. */
  run: ReadonlySet<string>
  /** The packages that they bring in. */
  brought: readonly string[]
  paths: readonly ChangedPath[]
  text: string
  words: ReadonlySet<string>
}

function lookAt({ command = "", paths, text: written = "", branch }: ToolCall): LookedAt {
  const programs = programsIn(command, branch)
  const text = written.slice(0, longestText)
  return {
    command,
    programs,
    run: new Set(["*", ...programs.map(({ name }) => name)]),
    brought: programs.flatMap(installedBy),
    paths: paths.map(changedPath),
    text,
    words: new Set(text.match(/[\w$]+/g)),
  }
}

function isForbiddenBy({ commands, paths, names, packages, within }: GuardTrigger, looked: LookedAt): boolean {
  const { command, programs, run, brought, text, words } = looked
  const changes = (path: string) => looked.paths.some((changed) => isInPath(changed, path))
  if (within !== undefined && !changes(within) && !command.includes(within)) return false
  return (
    commands.some(
      (pattern) => run.has(pattern.words[0] ?? "") && programs.some((program) => matchesCommand(pattern, program)),
    ) ||
    paths.some(changes) ||
    packages.some((name) => brought.some((given) => isPackage(given, name))) ||
    (text !== "" &&
      (names.some((name) => holdsName(text, words, name)) ||
        packages.some((name) => importsPackage(text, words, name))))
  )
}

const installers = new Set("npm pnpm yarn bun pip pip3 uv poetry pdm cargo gem composer dotnet go deno".split(" "))
const installing = new Set(["install", "i", "add", "get", "require"])

/** `npm install` alone, and installing from a file, adds nothing new. */
function installedBy({ name, words }: Program): string[] {
  const at = installers.has(name) ? words.findIndex((word) => installing.has(word)) : -1
  if (at === -1 || words.includes("-r")) return []
  return words.slice(at + 1).filter((word) => !word.startsWith("-") && !word.startsWith("."))
}

function isPackage(given: string, wanted: string): boolean {
  if (wanted === "*" || given === wanted) return true
  return given.startsWith(wanted) && /^[@=~<>![]/.test(given.slice(wanted.length))
}

/**
 * Whether a program call matches a pattern: the words that are not flags in their order, the first of them in the position of a
 * subcommand, and all flags in any position. `rm -rf x` is `rm -r -f x`; `git -C web push` is `git push`; `git commit -m push` is not.
 */
export function matchesCommand(
  { words: wanted, unless, branches }: CommandPattern,
  { name, words, lineWords, branch }: Program,
): boolean {
  if (wanted[0] !== name && wanted[0] !== "*") return false
  if (
    branches !== undefined &&
    !(branch !== undefined && branches.includes(branch.toLowerCase()) && isThere(wanted, words))
  )
    return false
  return (
    wanted.every((word, at) => at === 0 || !isFlag(word) || hasFlag(words, word)) &&
    hasInOrder(words, wanted) &&
    unless?.some((word) => hasWord(lineWords, word)) !== true
  )
}

/** A push that names what it pushes is not about the branch that is checked out, unless it is that. */
function isThere(wanted: readonly string[], words: readonly string[]): boolean {
  if (wanted[1] !== "push") return true
  const named = words.slice(words.indexOf("push") + 1).filter((word) => !isFlag(word))
  return named.length < 2 || named[1] === "HEAD"
}

/** From the second of the wanted words on. */
function hasInOrder(words: readonly string[], wanted: readonly string[]): boolean {
  const next = (from: number) => wanted.findIndex((word, index) => index >= from && !isFlag(word))
  const first = next(1)
  let at = first
  for (let index = 0; index < words.length && at !== -1; index++) {
    const word = words[index] ?? ""
    if (word === "--") break
    if (isSame(word, wanted[at] ?? "") || (wanted[at] === "*" && !isFlag(word))) at = next(at + 1)
    else if (at === first && !isFlag(word) && !isFlag(words[index - 1] ?? "")) return false // another subcommand
  }
  return at === -1
}

function hasFlag(words: readonly string[], flag: string): boolean {
  if (!isCluster(flag)) return words.some((word) => word === flag || word.startsWith(`${flag}=`))
  const given = words.filter(isCluster).join("")
  return Array.from(flag.slice(1)).every((letter) => given.includes(letter))
}

function hasWord(given: ReadonlySet<string>, wanted: string): boolean {
  return given.has(wanted) || Array.from(given).some((word) => isSame(word, wanted) || word.startsWith(`${wanted}=`))
}

function isFlag(word: string): boolean {
  return word.startsWith("-") && word.length > 1
}

/** `-rf`: flags of one letter each. */
function isCluster(word: string): boolean {
  return /^-[A-Za-z]{1,4}$/.test(word)
}

/** `./build/` is `build`; `HEAD:main` and `origin/main` are about `main` as well. */
function isSame(given: string, wanted: string): boolean {
  if (given === wanted) return true
  if (!given.endsWith(wanted) && !given.endsWith("/")) return false
  const plain = given.replace(/^\.\//, "").replace(/\/+$/, "")
  return plain === wanted || plain.endsWith(`:${wanted}`)
}

/** One program of a command line: its name, the words behind it, and all words of the line. */
type Program = {
  name: string
  words: readonly string[]
  lineWords: ReadonlySet<string>
  /** The branch on which it runs, if known. */
  branch?: string | undefined
}

/** Every program of a line, as written and without wrappers that only run another: `sudo npx x` matches sudo, npx and x. */
export function programsIn(line: string, branch?: string): Program[] {
  if (line.trim() === "") return []
  const written = splitCommand(line)
  const lineWords = new Set(written.flatMap(({ words }) => words))
  return [written, unwrapCommands(line)].flatMap((commands) => {
    let here = branch
    return commands.flatMap((command) => {
      const words = withoutAssignments(command.words)
      here = branchAfter(words) ?? here
      return [words, ...scriptOf(words)].map((each) => ({
        name: programOf(each),
        words: each.slice(1),
        lineWords,
        branch: here,
      }))
    })
  })
}

/** The branch that a command checks out. */
function branchAfter(words: readonly string[]): string | undefined {
  if (programOf(words) !== "git" || !/^(?:checkout|switch)$/.test(words[1] ?? "") || words.includes("--"))
    return undefined
  const creates = words.findIndex((word) => /^-[bBcC]$|^--create$/.test(word))
  return creates === -1 ? words.slice(2).find((word) => !isFlag(word)) : words[creates + 1]
}

function withoutAssignments(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word))
  return first === -1 ? [] : words.slice(first)
}

/** A script that a shell runs from a file: `bash scripts/deploy.sh prod` is `deploy.sh prod`. */
export function scriptOf(words: readonly string[]): (readonly string[])[] {
  if (!/^(?:bash|sh|zsh|dash)$/.test(programOf(words))) return []
  const script = words.findIndex((word, at) => at > 0 && !word.startsWith("-"))
  return script === -1 ? [] : [words.slice(script)]
}

/** A file that a call changes; `text` has a slash at both ends and between the parts. */
type ChangedPath = { text: string; isFromRoot: boolean }

const longestPath = 1000

function changedPath(path: string): ChangedPath {
  const plain = path.slice(-longestPath).replaceAll("\\", "/")
  return { text: `/${plain.replace(/^(?:\.?\/)+/, "")}/`, isFromRoot: !/^(?:[A-Za-z]:)?\//.test(plain) }
}

/**
 * Whether a changed file matches a pattern: the file itself, one below the folder, or one that matches the globs. A pattern without a
 * slash matches any file or folder of that name. A path that does not begin at the root of the repository must contain the pattern.
 */
function isInPath({ text, isFromRoot }: ChangedPath, pattern: string): boolean {
  const star = pattern.indexOf("*")
  if (star !== -1) return text.includes(`/${pattern.slice(0, star)}`) && globOf(pattern).test(text)
  return isFromRoot && pattern.includes("/") ? text.startsWith(`/${pattern}/`) : text.includes(`/${pattern}/`)
}

function globOf(pattern: string): RegExp {
  const parts = pattern.split(/(\*\*\/?|\*)/).map((part) => {
    if (part === "*") return "[^/]{0,200}"
    return part.startsWith("**") ? ".{0,1000}" : part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&")
  })
  return new RegExp(`/${parts.join("")}/`)
}

/** Whether a text brings a name in: as a whole, and one that is also a plain word only where code would have it. */
function holdsName(text: string, words: ReadonlySet<string>, name: string): boolean {
  if (!mayHold(words, name)) return false
  return isPlainWord(name) ? inCode(name).test(text) : holdsWhole(text, name)
}

/** Whether a text imports a package, or something below it. */
function importsPackage(text: string, words: ReadonlySet<string>, name: string): boolean {
  if (!mayHold(words, name)) return false
  const written = literal(name)
  return new RegExp(
    `["'\`]${written}(?:/[^"'\`\\n]{0,200})?["'\`]|^\\s{0,20}(?:import|from|use) ${written}\\b`,
    "m",
  ).test(text)
}

/** Most texts hold not even the first word of most names. */
function mayHold(words: ReadonlySet<string>, name: string): boolean {
  const [first] = /[\w$]+/.exec(name) ?? []
  return first !== undefined && words.has(first)
}

function holdsWhole(text: string, name: string): boolean {
  const isWord = (character: string) => /[\w$]/.test(character)
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text.charAt(at - 1)
    const after = text.charAt(at + name.length)
    const joins = (isWord(before) && isWord(name.charAt(0))) || (isWord(after) && isWord(name.charAt(name.length - 1)))
    if (!joins) return true
  }
  return false
}

function isPlainWord(name: string): boolean {
  return /^[a-z]+$/.test(name)
}

/** A call, a member, a type, a generic: `eval(`, `moment.`, `: any`, `<any>`, `as any`. */
function inCode(name: string): RegExp {
  return new RegExp(
    `(?<![\\w$.])${name}\\(|(?<![\\w$.])${name}\\.[a-z]|[:<|] ?${name}\\b(?! [a-z])|\\bas ${name}\\b(?! [a-z])`,
  )
}

function literal(text: string): string {
  return text.replace(/[\\^$.*|?+()[\]{}/]/g, "\\$&")
}

/**
 * Where the compiled guards of one checkout are kept, outside of it. Needed before every tool call: a longer hash would take more time
 * than everything else.
 */
export function guardsPath(dreyHome: string, storeFolderRealPath: string): string {
  const key = [storeFolderRealPath, `${storeFolderRealPath}/`].map((path) => (hashTerm(path) >>> 0).toString(16))
  return join(dreyHome, "guards", `${key.join("-")}.json`)
}
