/** One program with its words, quotes taken off; `joint` is the operator behind it, which decides whose exit code the line has. */
export type Command = { words: string[]; joint: "&&" | "||" | ";" | "|" | "&" | "" }

const longestLine = 4000

/**
 * The programs that a command line runs, in order: for bash and similar shells and PowerShell, as far as that is known without running it.
 * Redirections, here-documents and comments are omitted.
 */
export function splitCommand(line: string): Command[] {
  const text = line.length > longestLine ? line.slice(0, longestLine) : line
  const commands: Command[] = []
  let words: string[] = []
  let word = ""
  let isQuoted = false
  let at = 0

  const endWord = () => {
    if (word !== "" || isQuoted) words.push(word)
    word = ""
    isQuoted = false
  }
  const endCommand = (joint: Command["joint"]) => {
    endWord()
    if (words.length > 0) commands.push({ words, joint })
    else if (joint === "|" || joint === "&&" || joint === "||") setJoint(commands.at(-1), joint)
    words = []
  }

  while (at < text.length) {
    const character = text.charAt(at)
    const next = text.charAt(at + 1)
    if (character === "\\" && escapable.includes(next)) {
      if (next !== "\n") word += next
      at += 2
    } else if (character === "'" || character === '"') {
      const end = endOfQuote(text, at)
      word += text.slice(at + 1, end)
      isQuoted = true
      at = end + 1
    } else if (character === "`" || (character === "$" && next === "(") || (character === "<" && next === "(")) {
      const end = endOfSubstitution(text, at)
      word += text.slice(at, end)
      at = end
    } else if (character === "#" && word === "" && !isQuoted) {
      at = endOfLine(text, at)
    } else if (character === "<" && next === "<" && text.charAt(at + 2) !== "<") {
      endWord()
      at = endOfHereDocument(text, at)
    } else if (character === ">" || character === "<" || (character === "&" && next === ">")) {
      if (/^\d?$/.test(word)) word = ""
      endWord()
      at = endOfRedirection(text, at)
    } else if (character === "&" || character === "|") {
      const isDouble = next === character
      if (character === "&" && !isDouble && words.length === 0 && word === "") at++
      else {
        endCommand(character === "&" ? (isDouble ? "&&" : "&") : isDouble ? "||" : "|")
        at += isDouble || (character === "|" && next === "&") ? 2 : 1
      }
    } else if (character === ";" || character === "\n") {
      endCommand(";")
      at++
    } else if (character === "(" || character === ")") {
      if (character === ")" || word === "") endCommand(character === ")" ? "" : ";")
      else word += character
      at++
    } else if (character === " " || character === "\t" || character === "\r") {
      endWord()
      at++
    } else {
      word += character
      at++
    }
  }
  endCommand("")
  return commands.map(withoutKeywords).filter(({ words }) => words.length > 0)
}

/** Characters that a backslash escapes; before anything else it is part of a Windows path. */
const escapable = " \t\n\"'\\$`&|;<>()"

function setJoint(command: Command | undefined, joint: Command["joint"]): void {
  if (command !== undefined) command.joint = joint
}

function endOfQuote(text: string, start: number): number {
  const quote = text.charAt(start)
  for (let at = start + 1; at < text.length; at++) {
    if (quote === '"' && text.charAt(at) === "\\") at++
    else if (text.charAt(at) === quote) return at
  }
  return text.length
}

function endOfSubstitution(text: string, start: number): number {
  if (text.charAt(start) === "`") {
    const end = text.indexOf("`", start + 1)
    return end === -1 ? text.length : end + 1
  }
  let depth = 0
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === "'" || character === '"') at = endOfQuote(text, at)
    else if (character === "(") depth++
    else if (character === ")" && --depth === 0) return at + 1
  }
  return text.length
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf("\n", start)
  return end === -1 ? text.length : end
}

/** After the word that ends it; the rest of the line it begins on still belongs to the command. */
function endOfHereDocument(text: string, start: number): number {
  const delimiter = /^<<-?\s{0,4}(?:'([^'\n]{1,80})'|"([^"\n]{1,80})"|\\?([\w.-]{1,80}))/.exec(
    text.slice(start, start + 100),
  )
  if (delimiter === null) return start + 2
  const name = delimiter[1] ?? delimiter[2] ?? delimiter[3] ?? ""
  let line = endOfLine(text, start)
  while (line < text.length) {
    const end = endOfLine(text, line + 1)
    if (text.slice(line + 1, end).trim() === name) return end
    line = end
  }
  return text.length
}

function endOfRedirection(text: string, start: number): number {
  let at = start
  while (at < text.length && "&<>|".includes(text.charAt(at))) at++
  while (text.charAt(at) === " ") at++
  const first = text.charAt(at)
  if (first === "'" || first === '"') return endOfQuote(text, at) + 1
  while (at < text.length && !" \t\n;|&()<>".includes(text.charAt(at))) at++
  return at
}

/** Shell keywords that may come before a program. */
function withoutKeywords({ words, joint }: Command): Command {
  const first = words.findIndex((word) => !keywords.has(word))
  return { words: first === -1 ? [] : words.slice(first), joint }
}

const keywords = new Set(["do", "done", "then", "else", "fi", "if", "while", "until", "!", "{", "}", "&", "time"])

/** The programs of a command line with everything off that only runs another: `env`, `timeout 60`, `npx`, `uv run`, `bash -c "…"`. */
export function unwrapCommands(line: string): Command[] {
  return splitCommand(line).flatMap((command) => unwrap(command, 3))
}

function unwrap({ words, joint }: Command, depth: number): Command[] {
  const bare = withoutWrappers(words)
  const inner = innerLine(bare)
  if (inner === undefined || depth === 0) return bare.length === 0 ? [] : [{ words: bare, joint }]
  const commands = splitCommand(inner).flatMap((command) => unwrap(command, depth - 1))
  const last = commands.at(-1)
  if (last !== undefined) last.joint = joint
  return commands
}

/** The program's usual name: no folder, no `.exe`, no `@latest`; python3.12 is python. */
export function programOf(words: readonly string[]): string {
  const written = words[0] ?? ""
  const name = written.slice(Math.max(written.lastIndexOf("/"), written.lastIndexOf("\\")) + 1)
  return name
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat)$/, "")
    .replace(/(?<=.)@.*$/, "")
    .replace(/^(python|pip|php|ruby|node)[\d.]{1,6}$/, "$1")
}

function withoutWrappers(words: readonly string[]): string[] {
  let rest = [...words]
  for (let layer = 0; layer < 8; layer++) {
    rest = rest.slice(skipAssignments(rest))
    const wrapper = wrapperOf(rest)
    if (wrapper === undefined) return rest
    rest = rest.slice(wrapper)
  }
  return rest
}

function skipAssignments(words: readonly string[]): number {
  if (words[0]?.startsWith("$env:") === true) return words.length // PowerShell: a separate statement
  const first = words.findIndex((word) => !/^[A-Za-z_]\w*\+?=/.test(word))
  return first === -1 ? words.length : first
}

/** How many leading words only run what follows them; undefined if nothing follows or the first is itself the program. */
function wrapperOf(words: readonly string[]): number | undefined {
  const program = programOf(words)
  const rule = wrappers.find(({ name, verb }) => {
    if (!name.includes(program)) return false
    return verb === undefined || verb.includes(words[1] ?? "")
  })
  if (rule === undefined || (program === "command" && /^-[vV]$/.test(words[1] ?? ""))) return undefined
  let at = rule.verb === undefined ? 1 : 2
  for (let left = rule.operands ?? 0; at < words.length; ) {
    const word = words[at] ?? ""
    if (word === "--") return at + 1 < words.length ? at + 1 : undefined
    if (word.startsWith("-")) at += rule.valued?.includes(word) === true ? 2 : 1
    else if (/^[A-Za-z_]\w*=/.test(word)) at++
    else if (left > 0) {
      left--
      at++
    } else return at
  }
  return undefined
}

type Wrapper = {
  name: string[]
  /** The second word that makes it a wrapper. */
  verb?: string[]
  /** Its own words before the program. */
  operands?: number
  /** Its flags that take a value. */
  valued?: string[]
}

const wrappers: Wrapper[] = [
  { name: ["sudo", "doas"], valued: ["-u", "-g"] },
  {
    name: [
      "env",
      "nohup",
      "nice",
      "command",
      "exec",
      "builtin",
      "stdbuf",
      "unbuffer",
      "caffeinate",
      "cross-env",
      "wsl",
      "rtk",
    ],
    valued: ["-n", "-u", "-d"],
  },
  { name: ["timeout", "gtimeout"], operands: 1, valued: ["-s", "-k", "--signal"] },
  { name: ["npx", "bunx", "pnpx", "uvx"], valued: ["-p", "--package", "--from", "--with"] },
  { name: ["xvfb-run"], valued: ["-n", "-s"] },
  { name: ["npm"], verb: ["exec", "x"], valued: ["-p", "--package"] },
  { name: ["pnpm", "yarn"], verb: ["exec", "dlx"] },
  { name: ["bun"], verb: ["x"] },
  {
    name: ["uv", "rye", "hatch"],
    verb: ["run"],
    valued: ["--with", "--python", "-p", "--extra", "--group", "--package"],
  },
  { name: ["poetry", "pipenv", "pdm", "pipx"], verb: ["run"] },
  { name: ["conda", "mamba"], verb: ["run"], valued: ["-n", "-p", "--name"] },
  { name: ["bundle"], verb: ["exec"] },
  { name: ["mise"], verb: ["exec", "x"] },
  { name: ["direnv"], verb: ["exec"], operands: 1 },
  {
    name: ["docker", "podman"],
    verb: ["exec"],
    operands: 1,
    valued: ["-u", "-w", "-e", "--user", "--workdir", "--env"],
  },
]

/** The line passed to a shell: `bash -lc "…"`, `pwsh -Command "…"`, `cmd /c …`, and similar ones such as `docker compose exec app …`. */
function innerLine(words: readonly string[]): string | undefined {
  const program = programOf(words)
  if (["bash", "sh", "zsh", "dash"].includes(program)) {
    const flag = words.findIndex((word) => /^-[a-z]{0,3}c$/.test(word))
    return flag === -1 ? undefined : words[flag + 1]
  }
  if (["powershell", "pwsh"].includes(program)) {
    const flag = words.findIndex((word) => /^-(?:c|command)$/i.test(word))
    return flag === -1 ? undefined : words.slice(flag + 1).join(" ")
  }
  if (program === "cmd" && /^\/c$/i.test(words[1] ?? "")) return words.slice(2).join(" ")
  if (program === "eval") return words.slice(1).join(" ")
  if (program === "docker" && words[1] === "compose") return innerOfCompose(words)
  return undefined
}

function innerOfCompose(words: readonly string[]): string | undefined {
  const verb = words.findIndex((word) => word === "exec" || word === "run")
  if (verb === -1) return undefined
  const service = words.findIndex((word, at) => at > verb && !word.startsWith("-"))
  const rest = service === -1 ? [] : words.slice(service + 1)
  return rest.length === 0 ? undefined : rest.join(" ")
}

/** Names that in plain words can only mean the program. */
export const plainPrograms = words(
  `git npm npx pnpm pnpx yarn bun bunx pip pip3 pipenv virtualenv conda uv uvx poetry tox nox pytest vitest jest mocha tsc eslint prettier
  biome webpack esbuild rollup docker docker-compose podman kubectl helm terraform tofu pulumi ansible gcloud gsutil heroku vercel netlify
  flyctl wrangler psql pg_dump mysql mongosh redis-cli sqlite3 prisma alembic sudo chmod chown rm rsync scp ssh curl wget dropdb cargo
  rustup dotnet nuget mvn gradle gradlew sbt rake rspec bundler composer artisan phpunit systemctl apt-get brew nvm grep ripgrep awk sed
  gh jq tsx ts-node nodemon pm2 lerna nx turbo xcodebuild cocoapods adb keytool gpg openssl`,
)

/** The same with programs whose names are ordinary words, or mean nothing without what follows them; in code they are programs. */
export const programs = new Set([
  ...plainPrograms,
  ...words(
    `make just task go node deno python python3 ruby rails perl php bash sh zsh pwsh powershell java javac swift dart flutter mix elixir
    next vite ng expo fly flutter stack cabal ghc zig gcc g++ clang cmake ninja bazel aws az apt dnf yum apk pacman port find fd rg ls cat
    cd cp mv ln kill pkill killall tar zip unzip patch diff tail head tee touch mkdir dd mount crontab firebase supabase serverless sam cdk
    cypress playwright storybook twine gem pod hatch pdm black ruff isort mypy flake8 pylint gofmt golangci-lint rustfmt clippy ctest`,
  ),
])

/** Every task runs them: a guard for one of these alone would always fire. */
export const everydayPrograms = words("git node python python3 bash sh zsh pwsh powershell cd ls cat echo gh find")

function words(list: string): Set<string> {
  return new Set(list.split(/\s+/))
}

/** Where each runner keeps a package that it fetched for one command; the next clean-up removes it. */
const caches: readonly (readonly [runner: string, folder: RegExp])[] = [
  ["npx", /[\\/]_npx[\\/]/],
  ["pnpm dlx", /[\\/](?:pnpm(?:-cache)?[\\/]dlx|tmp[\\/]dlx-\d+)[\\/]/],
  ["yarn dlx", /[\\/]xfs-[^\\/]+[\\/]dlx-\d+[\\/]/],
  ["bunx", /[\\/]bunx-[^\\/]+[\\/]/],
]

/** The runner whose temporary copy a path is in, such as `npx`; undefined for an installed one. */
export function temporaryRunner(path: string): string | undefined {
  return caches.find(([, folder]) => folder.test(path))?.[0]
}
