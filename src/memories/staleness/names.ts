const mostNames = 100

/** The files, commands and symbols that a text names, each once, those in code first. */
export function findNames(text: string): Name[] {
  const { prose, spans, fenced } = cutCode(text)
  const found = new Map<string, Name>()
  const speaking = new Map<string, boolean>()
  const add = (name: Omit<Name, "told">, sentence: string) => {
    const key = `${name.kind} ${keyOf(name as Name)}`
    const told = speaking.get(sentence) ?? speaksOfChange(sentence)
    speaking.set(sentence, told)
    const known = found.get(key)
    if (known) known.told ||= told
    else if (found.size < mostNames) found.set(key, { ...name, told } as Name)
  }
  for (const { code, sentence } of spans) {
    const commands = commandsIn(code)
    for (const name of commands) add(name, sentence)
    const paths = pathsInCode(code)
    for (const name of paths) add(name, sentence)
    const symbol = commands.length + paths.length === 0 ? symbolIn(code) : undefined
    if (symbol) add(symbol, sentence)
  }
  for (const line of fenced) for (const name of commandsIn(line.replace(/^\s*[$>]\s+/, ""))) add(name, "")
  for (const sentence of prose) for (const name of pathsInProse(sentence)) add(name, sentence)
  return [...found.values()]
}

function keyOf(name: Name): string {
  if (name.kind === "path") return name.path
  return name.kind === "command" ? `${name.runner} ${name.target}` : name.words.join(".")
}

const change =
  /\b(?:remov|delet|renam|relocat|replac|deprecat|migrat|supersed|retir|extract|obsolete|legacy|former|consolidat|(?:mov|split)(?:e|es|ed|ing|ting)?\b|dropp?(?:ed|s|ing)?\b|merged into|no longer|(?:chang|switch|swap)\w* (?:from|to)\b|instead of|rather than|used to\b|gone\b|old\b|previous)/i
const becomes = /`\s*(?:→|⇒|->|=>)|(?:→|⇒|->|=>)\s*`/

/** A sentence that says something was moved or removed needs no note. Words inside the names do not count. */
function speaksOfChange(sentence: string): boolean {
  return becomes.test(sentence) || change.test(sentence.replace(/`[^`]*`/g, " ").replace(/\S*[/\\]\S*/g, " "))
}

/** A name of something in the repository; `text` is its form in the text. */
export type Name = { text: string; told: boolean } & (PathName | CommandName | SymbolName)

/** `told`, above: the sentence itself mentions removing, moving or replacing, so its author knew. */
type PathName = {
  kind: "path"
  /** With slashes, relative to some folder of the repository; a folder has no trailing slash. */
  path: string
  /** Whether it can only be a path: then it counts even if it cannot be checked. */
  isSure: boolean
}

type CommandName = { kind: "command"; runner: Runner; target: string }

type SymbolName = {
  kind: "symbol"
  /** The words that source code must contain: `Store.open` is `Store` and `open`. */
  words: string[]
}

/** The tool that runs a target, which decides where it is defined. */
export type Runner = "package" | "make" | "just" | "deno" | "task" | "cargo" | "python"

/** A name, and when its item was written, in milliseconds. */
export type DatedName<Kind extends Name["kind"] = Name["kind"]> = {
  name: Name & { kind: Kind }
  at: number | undefined
}

/** A Markdown text in parts: sentences with their code spans, the spans, and the lines of code blocks. */
export type MarkdownParts = { prose: string[]; spans: { code: string; sentence: string }[]; fenced: string[] }

const longestSpan = 200

function cutCode(text: string): MarkdownParts {
  const cut: MarkdownParts = { prose: [], spans: [], fenced: [] }
  let fence: string | undefined
  for (const line of text.split(/\r\n|[\r\n]/)) {
    const [, mark] = /^\s*(?:>\s*)*(`{3,}|~{3,})/.exec(line) ?? []
    if (mark !== undefined && fence === undefined) fence = mark
    else if (mark !== undefined && fence !== undefined && mark.startsWith(fence)) fence = undefined
    else if (fence !== undefined) cut.fenced.push(line)
    else cutLine(line, cut)
  }
  return cut
}

function cutLine(line: string, cut: MarkdownParts): void {
  for (const sentence of sentencesOf(line)) {
    cut.prose.push(sentence.replace(span, " "))
    for (const [, , code = ""] of sentence.matchAll(span))
      if (code.length <= longestSpan) cut.spans.push({ code: code.trim(), sentence })
  }
}

/** One or two backticks on either side. */
const span = /(?<!`)(`{1,2})(?!`)([^`]{1,400})\1(?!`)/g

/** A full stop inside a code span does not end a sentence. */
function sentencesOf(line: string): string[] {
  const plain = line.replace(span, (code) => "`".repeat(code.length))
  const sentences: string[] = []
  let start = 0
  for (const { index } of plain.matchAll(/[.;!?](?=\s+\S)/g)) {
    sentences.push(line.slice(start, index + 1))
    start = index + 1
  }
  return [...sentences, line.slice(start)]
}

type Found = PathName & { text: string }

/** The paths in a code span; a bare file name only if it can be nothing else. */
function pathsInCode(code: string): Found[] {
  const words = code.split(/[\s"'()[\],;|&=]+/).filter(Boolean)
  return words.flatMap((word) => {
    const path = readPath(word)
    if (path === undefined) return []
    if (path.includes("/")) return [{ kind: "path" as const, text: word, path, isSure: hasExtension(path) }]
    const isFile = isFileName(path)
    return isFile || /[/\\]$/.test(word) ? [{ kind: "path" as const, text: word, path, isSure: isFile }] : []
  })
}

/** The paths in prose: with a slash and a file extension. */
function pathsInProse(sentence: string): Found[] {
  const words = sentence.split(/[\s"'()[\],;|*]+/).filter((word) => /[/\\]/.test(word))
  return words.flatMap((word) => {
    const path = readPath(word)
    if (path === undefined || !path.includes("/") || !hasExtension(path)) return []
    return [{ kind: "path" as const, text: word.replace(/[.:]+$/, ""), path, isSure: true }]
  })
}

const longestPath = 240

/**
 * The path in a word, without a trailing line number; undefined for URLs, patterns, and paths outside of the
 * repository.
 */
function readPath(word: string): string | undefined {
  if (word.length > longestPath || /:\/\/|[<>{}*?$%~^`…]|\.{3}|^@|^#|^-/u.test(word)) return undefined
  const path = word
    .replace(/(?:#L\d.*|:\d+(?:[-:]\d+)*)$/, "")
    .replace(/[.:,]+$/, "")
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/)+/, "")
    .replace(/\/+$/, "")
  const parts = path.split("/")
  const isPath = path !== "" && parts.every((part) => /^[\p{L}\p{N}\p{M}_.@+-]+$/u.test(part) && part !== "..")
  return isPath && !isAddress(parts) ? path : undefined // an absolute path begins with an empty part
}

/** `example.com/docs`. */
function isAddress([first = "", ...others]: string[]): boolean {
  return others.length > 0 && /^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai|app|co|gov|edu|sh|rs)$/i.test(first)
}

const endings =
  "adoc astro bash bat bicep c cc cfg cjs cmake cmd conf cpp cs cshtml csproj css cts cxx dart dockerfile ejs elm env erb ex exs fs fsproj gradle go graphql h handlebars hbs hpp hs html ini ipynb java jinja jl js json json5 jsonc jsonl jsx kt kts less lock lua m md mdx mjs mm mts nix php pl plist prisma props proto ps1 psm1 py pyi r razor rb resx rs rst sass scala scss sh sln slnx sql svelte svg swift targets tf tfvars toml ts tsx txt vb vbproj vue xaml xml yaml yml zig zsh"
const knownEndings = new Set(endings.split(" "))
const wholeNames = /^(?:Makefile|Dockerfile|Justfile|justfile|Procfile|Gemfile|Rakefile|Jenkinsfile|Taskfile\.yml)$/

function hasExtension(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1)
  return wholeNames.test(name) || (/[^.]\.\w+$/.test(name) && knownEndings.has(endingOf(name)))
}

/** `console.log` and `example.com` also contain a dot. */
function isFileName(name: string): boolean {
  return wholeNames.test(name) || (/^[\w@][\w.@-]*\.\w+$/.test(name) && knownEndings.has(endingOf(name)))
}

function endingOf(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1).toLowerCase()
}

type FoundIn = CommandName & { text: string }

const target = String.raw`([\w][\w:.@/-]*)`

/** How each runner is called. Built-in subcommands of a package manager are not scripts. */
const calls: [Runner, RegExp][] = [
  ["package", new RegExp(String.raw`^(?:npm|pnpm|yarn|bun)\s+(?:-\S+\s+)*run(?:-script)?\s+(?:-\S+\s+)*${target}`)],
  ["package", /^(?:npm|pnpm|yarn)\s+(test|start)\b/],
  ["package", new RegExp(String.raw`^(?:pnpm|yarn)\s+(?!-)${target}`)],
  ["make", new RegExp(String.raw`^make\s+${target}`)],
  ["just", new RegExp(String.raw`^just\s+${target}`)],
  ["deno", new RegExp(String.raw`^deno\s+task\s+${target}`)],
  ["task", new RegExp(String.raw`^task\s+${target}`)],
  ["cargo", new RegExp(String.raw`^cargo\s+run\b.*?\s--(?:bin|example)[ =]${target}`)],
  ["python", new RegExp(String.raw`^(?:poetry|uv|pdm|hatch|rye)\s+run\s+(?!-)${target}`)],
  ["python", new RegExp(String.raw`^poe\s+${target}`)],
]

const ownCommands = new Set(
  "add approve-builds audit bin cache catalog config constraints create dedupe deploy dlx doctor env exec explain explore fetch global help i import info init install link list login logout ls node npm outdated owner pack patch patch-commit plugin prune publish python python3 pytest rebuild remove rm run search self-update server set setup store tag team uninstall unlink unplug up update upgrade version versions view why workspace workspaces".split(
    " ",
  ),
)

/** The repository's own commands in a shell line: scripts and targets, not programs. */
function commandsIn(line: string): FoundIn[] {
  return line.split(/&&|\|\||[;|]/).flatMap((part) => {
    const command = part.trim().replace(/^(?:[A-Z_][A-Z0-9_]*=\S*\s+)+/, "")
    for (const [runner, call] of calls) {
      const match = call.exec(command)
      const [text, name] = match ?? []
      if (text === undefined || name === undefined) continue
      return isProgram(runner, name, text) ? [] : [{ kind: "command" as const, runner, target: name, text }]
    }
    return []
  })
}

/** Commands of a package manager or environment that the repository does not define. */
function isProgram(runner: Runner, name: string, text: string): boolean {
  if (runner === "package") return ownCommands.has(name) && !/\brun(?:-script)?\s/.test(text)
  return runner === "python" && (/[./]/.test(name) || ownCommands.has(name))
}

/** The function, class, constant, variable or flag in a code span; undefined if it might be a plain word. */
function symbolIn(code: string): (SymbolName & { text: string }) | undefined {
  const flag = /^--[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?=$|[ =<[])/.exec(code)?.[0]
  if (flag !== undefined)
    return { kind: "symbol", text: flag, words: [flag.indexOf("-", 2) > 0 ? flag.slice(2) : flag] }
  const match = /^(?:new )?\$?([\p{L}_][\w\p{L}]*(?:(?:\.|::|#|->|\?\.)[\p{L}_][\w\p{L}]*)*)(\((?:[^()]*)\))?$/u.exec(
    code,
  )
  const [, name, call] = match ?? []
  if (name === undefined) return undefined
  const words = name.split(/[^\w\p{L}]+/u).filter((word) => word.length > 1)
  const isSymbol = words.length > 0 && (call !== undefined || /::|->/.test(name) || words.some(isDistinct))
  return isSymbol ? { kind: "symbol", text: code, words } : undefined
}

/** `useStore`, `use_store`, `UseStore`, `MAX_SIZE`: forms that do not occur in prose. */
function isDistinct(word: string): boolean {
  return word.length >= 4 && (/\p{Ll}\p{Lu}|[\p{L}\d]_[\p{L}\d]/u.test(word) || /^\p{Lu}[\p{Ll}\d]+\p{Lu}/u.test(word))
}
