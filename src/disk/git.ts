import { spawn, spawnSync } from "node:child_process"
import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from "node:fs"
import { basename, delimiter, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { DreyError } from "../errors.ts"

/** The repository around a folder: the top of its working tree, and where below it the folder is ("" or `packages/app/`). */
type Repository = { top: string; prefix: string }

type GitOptions = {
  input?: string
  timeoutMs?: number
  maxBytes?: number
  /** In a hook of git's own: the index and the folder that this commit is made with, as git set them in the environment. */
  inHook?: boolean
}

const defaults = { timeoutMs: 60_000, maxBytes: 256 * 1024 * 1024 }

/**
 * What git prints at the top of the repository around `folder`, so paths in `args` are relative to that top; undefined when git fails, is not
 * installed, or there is no repository. A clone is written by others: nothing in it can make git run a program, fetch, or ask the user.
 *
 * @example runGit(root, ["log", "-1", "--format=%H"])?.toString()
 */
export function runGit(folder: string, args: readonly string[], options: GitOptions = {}): Buffer | undefined {
  const call = prepareCall(folder, args, options)
  return call && runNow(call, options)
}

/** The same, without blocking the process. */
export async function askGit(
  folder: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Buffer | undefined> {
  const call = prepareCall(folder, args, options)
  if (!call) return undefined
  const { input = "", timeoutMs, maxBytes } = { ...defaults, ...options }
  return new Promise((resolve, reject) => {
    const { program, cwd, env } = call
    const git = spawn(program, call.args, { cwd, env, stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
    const chunks: Buffer[] = []
    let size = 0
    const stop = (reason: string) => {
      git.kill("SIGKILL")
      reject(stopped(call, reason))
    }
    const timer = setTimeout(() => stop(tooLong(timeoutMs)), timeoutMs)
    git.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) stop(tooMuch(maxBytes))
      else chunks.push(chunk)
    })
    git.stdin.on("error", () => {}) // git ended before it had read all of it; its exit code is the answer
    const end = (answer: Buffer | undefined) => {
      clearTimeout(timer)
      resolve(answer)
    }
    git.on("error", () => end(undefined))
    git.on("close", (code) => end(code === 0 ? Buffer.concat(chunks) : undefined))
    git.stdin.end(input)
  })
}

/** What git prints about files outside of any repository, such as temporary copies; undefined when it fails or is not installed. */
export function runGitOutside(folder: string, args: readonly string[]): Buffer | undefined {
  const program = findGit(process.env)
  if (program === undefined) return undefined
  const cwd = realpathSync(folder)
  return runNow({ program, args: [...settings, ...args], cwd, env: environmentFor(cwd, {}) })
}

/**
 * The nearest folder upwards that has a git folder. A team folder is content and never a repository itself, whatever it contains: one that
 * is a bare repository, or has a `.git`, would bring its own configuration, and with it programs for git to run.
 */
export function findRepository(folder: string): Repository | undefined {
  if (!existsSync(folder)) return undefined
  const start = realpathSync(folder)
  let found: string | undefined
  for (let at = start; ; at = dirname(at)) {
    if (isTop(at) && !isTeamFolder(basename(at)) && (found === undefined || isInTeamFolder(at, found))) found = at
    if (dirname(at) === at) break
  }
  if (found === undefined) return undefined
  const below = relative(found, start).split(sep).join("/")
  return { top: found, prefix: below === "" ? "" : `${below}/` }
}

function isTeamFolder(name: string): boolean {
  return /^\.(?:squad|ai-team)$/i.test(name)
}

function isInTeamFolder(top: string, folder: string): boolean {
  return relative(top, folder).split(sep).some(isTeamFolder)
}

/** Git takes a folder with these three for a repository, and looks in the folders above when one of them is missing. */
function isTop(folder: string): boolean {
  const entry = join(folder, ".git")
  const stats = statSync(entry, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return ["HEAD", "objects", "refs"].every((name) => existsSync(join(entry, name)))
  if (!stats?.isFile() || stats.size > 64 * 1024) return false
  const target = /^gitdir: (.+?)\r?\n*$/.exec(readFileSync(entry, "utf8"))?.[1]
  return target !== undefined && existsSync(join(resolve(folder, target), "HEAD"))
}

/** A hook waits for it, and a huge working tree takes longer. */
const longestStatusMs = 1000

/** Files below a folder that differ from the last commit, and new ones; none without a repository or when git is too slow. */
export async function listUncommitted(folder: string): Promise<string[]> {
  const prefix = findRepository(folder)?.prefix ?? ""
  const args = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal"]
  const scope = prefix === "" ? [] : ["--", prefix]
  try {
    const printed = await askGit(folder, [...args, ...scope], { timeoutMs: longestStatusMs })
    const names = (printed?.toString("utf8") ?? "").split("\0").map((line) => line.slice(3))
    return names.flatMap((name) => (name.startsWith(prefix) && name !== prefix ? [name.slice(prefix.length)] : []))
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return [] // what is shown with it is useful without it
  }
}

type Call = { program: string; args: string[]; cwd: string; env: NodeJS.ProcessEnv }

/** Settings of a repository that would have git start a program. */
const settings = [
  "safe.bareRepository=explicit",
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "log.showSignature=false",
].flatMap((setting) => ["-c", setting])

const compares = ["log", "show", "diff", "diff-tree", "diff-index", "diff-files", "blame"]
const readsFiles = ["diff", "diff-index", "diff-files", "blame", "status"]

function prepareCall(folder: string, args: readonly string[], options: GitOptions): Call | undefined {
  const program = findGit(process.env)
  if (program === undefined) return undefined
  const hook = options.inHook === true ? hookEnvironment() : {}
  const around = hook.GIT_WORK_TREE ?? findRepository(folder)?.top
  const cwd = around ?? (hook.GIT_DIR === undefined ? undefined : process.cwd()) // git runs its hooks at the top
  if (cwd === undefined) return undefined
  const [command = "", ...rest] = args
  const own = compares.includes(command) ? ["--no-textconv", "--no-ext-diff"] : []
  // A submodule is queried by its own git process, which does not have these settings.
  if (readsFiles.includes(command) && command !== "blame") own.push("--ignore-submodules=all")
  const global = [
    "--no-pager",
    "--no-optional-locks",
    ...(command === "check-ignore" ? [] : ["--literal-pathspecs"]), // which takes none but names
    `--work-tree=${cwd}`, // `core.worktree` could name any folder of the user
    ...(command === "config" ? [] : settings), // when queried for its settings, git should report the repository's and not these
  ]
  const env = environmentFor(cwd, hook)
  const call = { program, args: [...global, command, ...own, ...rest], cwd, env }
  return readsFiles.includes(command) ? { ...call, env: { ...env, ...withoutFilters(call) } } : call
}

/**
 * Filters (`filter.<name>.clean`) are programs that git runs on a file before comparing it. A clone has none, but the `.git` of an archive
 * may: all are replaced with nothing, through the environment, because a name may contain any character.
 */
function withoutFilters({ program, cwd, env }: Call): NodeJS.ProcessEnv {
  const args = [
    "config",
    "--null",
    "--name-only",
    "--get-regexp",
    String.raw`^filter\..*\.(clean|smudge|process|required)$`,
  ]
  const names = runNow({ program, args, cwd, env })?.toString("utf8").split("\0").filter(Boolean) ?? []
  const pairs = names.map((name, at) => [
    [`GIT_CONFIG_KEY_${at}`, name],
    [`GIT_CONFIG_VALUE_${at}`, name.endsWith(".required") ? "false" : ""],
  ])
  return { GIT_CONFIG_COUNT: String(names.length), ...Object.fromEntries(pairs.flat()) }
}

function runNow(call: Call, options: GitOptions = {}): Buffer | undefined {
  const { input = "", timeoutMs, maxBytes } = { ...defaults, ...options }
  const { program, args, cwd, env } = call
  const { status, stdout, error } = spawnSync(program, args, {
    cwd,
    env,
    input,
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    maxBuffer: maxBytes,
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  })
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  if (code === "ETIMEDOUT") throw stopped(call, tooLong(timeoutMs))
  if (code === "ENOBUFS") throw stopped(call, tooMuch(maxBytes))
  return status === 0 ? stdout : undefined
}

const tooLong = (ms: number) => `did not finish within ${Math.round(ms / 1000)} s`
const tooMuch = (bytes: number) => `printed more than ${Math.round(bytes / 1024 / 1024)} MB`

function stopped({ args, cwd }: Call, reason: string): DreyError {
  const command = args.find((arg, at) => !arg.startsWith("-") && args[at - 1] !== "-c")
  return new DreyError(`git ${command} ${reason} in ${cwd} and was stopped`, {
    hint: `Run "git fsck" there to see whether the repository is sound, and try again.`,
  })
}

/** From the caller's environment only the location of git and of the user's settings; the rest may belong to another repository. */
const keptVariables = new Set(["GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"])

function environmentFor(cwd: string, hook: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { SSH_ASKPASS: _, ...kept } = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name) || keptVariables.has(name)),
  )
  return {
    ...kept,
    ...hook,
    LC_ALL: "C",
    GIT_ALLOW_PROTOCOL: "none", // also for objects that a partial clone would fetch on demand; older gits do not know the next line
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    GIT_CEILING_DIRECTORIES: dirname(cwd),
  }
}

function hookEnvironment(): NodeJS.ProcessEnv {
  const names = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] as const
  const given = names.flatMap((name) => (process.env[name] ? [[name, resolve(process.env[name])]] : []))
  return Object.fromEntries(given)
}

/** Git by its full path: some systems would look for a program of this name in the working directory first, which is the clone. */
function findGit(environment: NodeJS.ProcessEnv): string | undefined {
  const name = process.platform === "win32" ? "git.exe" : "git"
  const path = environment.PATH ?? environment.Path ?? ""
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false // not there or not ours to run: it is looked for in the next folder, as a shell does
  }
}

type BareAnswer = { ok: true; text: string } | { ok: false; problem: string }

/**
 * Runs git on a bare repository in Drey's home, which no clone can bring. Unlike the functions above it may reach the
 * remote that the user named, with their credentials, and never asks for any.
 */
export function runBareGit(folder: string, args: readonly string[], input: string | Uint8Array = ""): BareAnswer {
  const program = findGit(process.env)
  if (program === undefined) return { ok: false, problem: "git is not installed" }
  const protocols = { GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh", GIT_NO_LAZY_FETCH: undefined }
  const ssh = process.env.GIT_SSH_COMMAND === undefined ? {} : { GIT_SSH_COMMAND: process.env.GIT_SSH_COMMAND }
  const { status, stdout, stderr, error } = spawnSync(
    program,
    [...settings, "-c", "safe.bareRepository=all", "-c", "gc.auto=0", `--git-dir=${folder}`, ...args],
    {
      cwd: folder,
      env: { ...environmentFor(folder, {}), ...protocols, ...ssh },
      input,
      timeout: defaults.timeoutMs,
      killSignal: "SIGKILL",
      maxBuffer: defaults.maxBytes,
      windowsHide: true,
    },
  )
  if (status === 0) return { ok: true, text: stdout.toString("utf8") }
  const lines = (stderr ?? "").toString().split("\n").filter(Boolean)
  const problem = lines.find((line) => /^(?:fatal|error|remote|!)/.test(line.trim())) ?? lines.at(-1)
  return { ok: false, problem: problem?.trim() ?? error?.message ?? `git ended with code ${status}` }
}

const longest = 4096

/** The branch that is checked out around a folder, without starting git; undefined outside of git and on no branch. */
export function checkedOutBranch(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const head = readHead(at)
    if (head !== undefined) return /^ref: refs\/heads\/(\S{1,250})\s*$/.exec(head)?.[1]
    if (dirname(at) === at) return undefined
  }
}

/** A worktree's `.git` is a file that names the folder. */
function readHead(folder: string): string | undefined {
  const entry = join(folder, ".git")
  const inside = readSmall(join(entry, "HEAD"))
  if (inside !== undefined) return inside
  const target = /^gitdir: (.{1,1000}?)\s*$/.exec(readSmall(entry) ?? "")?.[1]
  return target === undefined ? undefined : readSmall(join(resolve(folder, target), "HEAD"))
}

function readSmall(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").slice(0, longest)
  } catch {
    return undefined // a folder, missing, or not readable: no branch is known
  }
}
