import { type Command, programOf, unwrapCommands } from "../../formats/shell-command.ts"
import { truncate } from "../../formats/text.ts"

/**
 * Identifies repeated attempts: the program and its action, without flags, files and wrappers. `cd web && CI=1 npm run
 * build -- --watch=false` is `npm run build`.
 */
export function commandHead(line: string): string | undefined {
  const main = mainCommand(unwrapCommands(line))
  return main === undefined ? undefined : headOf(main.words)
}

/** The main program of a line: the first that does more than prepare; if all only prepare, the last. */
export function mainCommand(commands: readonly Command[]): Command | undefined {
  return commands.find(({ words }) => !prepares(words)) ?? commands.findLast(({ words }) => !isSilent(words))
}

export function headOf(words: readonly string[]): string | undefined {
  const program = programOf(words)
  if (!/^[\w.][\w.+-]*$/.test(program)) return undefined
  const head = interpreters.has(program) ? scriptHead(program, words) : subcommandHead(program, words)
  return truncate(head, longestHead)
}

const longestHead = 60

/** Only changes where or how the next program runs. */
function isSilent(words: readonly string[]): boolean {
  return silent.has(programOf(words)) || (words[0] ?? "").startsWith("$")
}

function prepares(words: readonly string[]): boolean {
  return isSilent(words) || preparing.has(programOf(words)) || (programOf(words) === "git" && words[1] === "add")
}

const silent = new Set(
  "cd pushd popd set-location sl export set unset source . true false : sleep start-sleep wait trap ulimit umask alias shopt nvm fnm".split(
    " ",
  ),
)
const preparing = new Set(
  "echo printf write-host write-output mkdir new-item rm remove-item cp copy-item mv move-item touch chmod ls pwd cat head tail for kill pkill date clear test [ [[".split(
    " ",
  ),
)

const interpreters = new Set(
  "python ruby perl php node tsx ts-node bash sh zsh pwsh powershell deno bun osascript".split(" "),
)

/** `python -m pytest` is pytest, `node scripts/build.mjs` is the script; `python -c …` has no name of its own. */
function scriptHead(program: string, words: readonly string[]): string {
  const rest = words.slice(1)
  const moduleAt = program === "python" ? rest.indexOf("-m") : -1
  if (moduleAt !== -1 && rest[moduleAt + 1] !== undefined) return headOf(rest.slice(moduleAt + 1)) ?? program
  if (program === "deno" || program === "bun") return subcommandHead(program, words)
  const inline = rest.find((word) => /^(?:-c|-e|-p|-r|--eval|--test|-command)$/i.test(word))
  if (inline !== undefined) return `${program} ${inline}`
  const script = rest.findIndex((word) => !word.startsWith("-"))
  if (script === -1) return program
  const name = baseName(rest[script] ?? "")
  if (name === "manage.py" || name === "artisan") return [name, rest[script + 1]].filter(Boolean).join(" ")
  return /^(?:bash|sh|zsh|pwsh|powershell)$/.test(program) ? name : `${program} ${name}`
}

function subcommandHead(program: string, words: readonly string[]): string {
  const depth = depths.get(program) ?? 0
  if (depth === 0) return program
  const named = subcommandsOf(program, words.slice(1))
  const first = named[0] ?? ""
  if (program === "npm" && (first === "t" || first === "tst")) return "npm test"
  if (["npm", "pnpm", "yarn", "bun"].includes(program) && /^run(?:-script)?$/.test(first)) {
    const script = named[1] ?? ""
    if (script === "") return `${program} run`
    return program !== "npm" && program !== "bun"
      ? `${program} ${script}`
      : script === "test" && program === "npm"
        ? "npm test"
        : `${program} run ${script}`
  }
  const further = deeper.has(`${program} ${first}`) ? depth + 1 : depth
  return [program, ...named.slice(0, further)].join(" ")
}

/** The words that name the action, without flags and their values. */
function subcommandsOf(program: string, words: readonly string[]): string[] {
  const named: string[] = []
  for (let at = 0; at < words.length && named.length < 3; at++) {
    const word = words[at] ?? ""
    if (word === "--") break
    if (valued.get(program)?.includes(word)) at++
    else if (program === "yarn" && word === "workspace" && named.length === 0) at++
    else if (/^[a-z:][\w:@./-]*$/i.test(word)) named.push(word)
    else if (!/^[-+@]|^\w+=/.test(word)) break
  }
  return named
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)
}

/** How many words after its name describe a program's action. */
const depths = new Map<string, number>([
  ...names(
    1,
    `git npm pnpm yarn bun deno cargo go dotnet docker docker-compose podman kubectl helm terraform tofu pip pip3 uv poetry pipenv brew apt
    apt-get dnf yum apk systemctl make gmake just task mvn mvnw gradle gradlew sbt rails rake mix composer flutter dart swift xcodebuild
    playwright cypress turbo nx lerna bazel bundle conda rustup next vite alembic wrangler vercel fly flyctl pulumi ng expo
    mise pre-commit zig stack cabal lein hatch tox nox`,
  ),
  ...names(2, "gh aws az gcloud prisma supabase firebase heroku drizzle-kit"),
])

const deeper = new Set([
  "docker compose",
  "cargo nextest",
  "go mod",
  "go tool",
  "uv pip",
  "turbo run",
  "nx run",
  "mise run",
  "dotnet ef",
  "git worktree",
  "git stash",
  "git submodule",
  "git remote",
  "just run",
  "rails db",
  "bundle config",
  "deno task",
  "zig build",
])

const valued = new Map<string, string[]>([
  ["git", ["-C", "-c", "--git-dir", "--work-tree"]],
  ["npm", ["--prefix", "-w", "--workspace", "-C"]],
  ["pnpm", ["--filter", "-F", "-C", "--dir"]],
  ["yarn", ["--cwd"]],
  ["bun", ["--cwd", "--filter"]],
  ["docker", ["-f", "--file", "-p", "--project-name", "--context", "--env-file"]],
  ["docker-compose", ["-f", "--file", "-p"]],
  ["cargo", ["--manifest-path", "-p", "--package"]],
  ["go", ["-C"]],
  ["make", ["-C", "-f", "-j"]],
  ["mvn", ["-f", "-pl", "-P"]],
  ["mvnw", ["-f", "-pl", "-P"]],
  ["gradle", ["-p"]],
  ["gradlew", ["-p"]],
  ["kubectl", ["-n", "--namespace", "--context"]],
  ["gh", ["-R", "--repo"]],
  ["xcodebuild", ["-scheme", "-project", "-workspace", "-destination", "-configuration", "-sdk"]],
])

function names(depth: number, list: string): [string, number][] {
  return list.split(/\s+/).map((name) => [name, depth])
}

/** Whether a command line only shows existing content: its output is a file's or a log's, not its own errors. */
export function readsOnly(commands: readonly Command[]): boolean {
  return (
    commands.length > 0 &&
    commands.every(({ words }) => readers.has(programOf(words)) || readers.has(headOf(words) ?? ""))
  )
}

/** Whether a command reports a difference with its exit code. */
export function compares(commands: readonly Command[]): boolean {
  return commands.some(({ words }) => comparing.has(programOf(words)) || comparing.has(headOf(words) ?? ""))
}

/** Whether a command answers "no" with its exit code: grep without a match, `test` of a missing file. */
export function answersByExitCode(commands: readonly Command[]): boolean {
  return commands.some(({ words }) => answering.has(programOf(words)) || answering.has(headOf(words) ?? ""))
}

const readers = new Set([
  ..."cat bat head tail less more sed awk grep egrep fgrep rg ag find fd ls tree jq yq wc sort uniq cut tr stat file which where type".split(
    " ",
  ),
  ..."echo printf cd pushd pwd env printenv date strings od xxd hexdump diff cmp column nl tac journalctl get-content gc".split(
    " ",
  ),
  ..."select-string get-childitem gci dir test [ whoami hostname uname ps df du select-object sls measure-object true".split(
    " ",
  ),
  "git log",
  "git show",
  "git diff",
  "git status",
  "git blame",
  "git branch",
  "git grep",
  "docker logs",
  "docker ps",
  "docker compose logs",
  "kubectl logs",
  "kubectl get",
  "kubectl describe",
  "gh run view",
  "gh pr view",
  "gh pr diff",
  "gh issue view",
])

const answering = new Set([
  ..."grep egrep fgrep rg ag test [ [[ which where command type pgrep lsof select-string findstr".split(" "),
  "git grep",
  "git config",
  "git check-ignore",
  "git show-ref",
])

const comparing = new Set(["diff", "cmp", "git diff"])
