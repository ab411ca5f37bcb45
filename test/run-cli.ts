import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

export type CliOptions = {
  cwd: string
  env?: Record<string, string>
  input?: string
  /** Another build than the one in `dist`. */
  cli?: string
  /** Another Node than the one the tests run on. */
  node?: string
  /** Another user, where the tests run as root, whom no permission stops. */
  uid?: number
}

export type CliResult = { code: number | null; stdout: string; stderr: string }

export const cliPath = fileURLToPath(new URL("../dist/cli.cjs", import.meta.url))

/** Runs the built CLI to its end. */
export async function runCli(args: string[], options: CliOptions): Promise<CliResult> {
  const child = startCli(args, options)
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  child.stdin.on("error", () => {}) // the command may end without reading its input
  child.stdin.end(options.input ?? "")
  const code = await new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve))
  return { code, stdout, stderr }
}

/** Starts the built CLI; nothing of the developer's own settings reaches it. */
export function startCli(
  args: string[],
  { cwd, env, cli = cliPath, node, uid }: CliOptions,
): ChildProcessWithoutNullStreams {
  return spawn(node ?? process.execPath, [cli, ...args], {
    cwd,
    env: environmentOf(env),
    ...(uid === undefined ? {} : { uid }),
  })
}

/** What the CLI sees besides what a test says: a home of its own, where programs are, and a hook's time on a busy machine. */
export function environmentOf(env: Record<string, string> = {}): Record<string, string> {
  const home = env.HOME && env.DREY_HOME ? env.HOME : makeFolder()
  const own = { PATH: process.env.PATH ?? "", TMPDIR: tmpdir(), HOME: home, DREY_HOME: join(home, ".drey") }
  return { ...own, DREY_HOOK_MS: "60000", ...env }
}

/** Runs the built CLI in one repository and with one home: what a run keeps there, the next one finds. */
export function cliIn(cwd: string): { home: string; run: (...args: string[]) => Promise<CliResult> } {
  const home = makeFolder()
  return { home, run: (...args) => runCli(args, { cwd, env: { DREY_HOME: home } }) }
}

/** A temporary folder with these files in it, which goes with the test. */
export function makeRepository(files: Record<string, string | Uint8Array>): string {
  const folder = makeFolder()
  writeFiles(folder, files)
  return folder
}

export function writeFiles(folder: string, files: Record<string, string | Uint8Array>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

/** Every name below a folder with its bytes, to be compared with the same at another time. */
export function readTree(folder: string): Record<string, string> {
  const tree: Record<string, string> = {}
  for (const item of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(item.parentPath, item.name)
    tree[path.slice(folder.length + 1)] = item.isDirectory()
      ? "a folder"
      : item.isSymbolicLink()
        ? `a link to ${readlinkSync(path)}`
        : contentOf(path)
  }
  return tree
}

/** Git with no settings but these. */
export function runGit(cwd: string, ...args: string[]): string {
  return execFileSync("git", ["-c", "user.name=Ines Falk", "-c", "user.email=ines@example.com", ...args], {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env.PATH ?? "", HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" },
  })
}

function contentOf(path: string): string {
  const { size, mtimeMs } = statSync(path)
  return size > 10_000_000 ? `${size} bytes of ${mtimeMs}` : readFileSync(path, "latin1")
}

const made = new Set<string>()

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "drey-test-")))
  made.add(folder)
  onTestFinished(async () => {
    // A repository goes before its home, and the processes that a hook started there write into both.
    const homes = [...made].filter((each) => ["hooks", ".drey/hooks"].some((name) => existsSync(join(each, name))))
    for (const home of homes) await backgroundEnds(home)
    made.delete(folder)
    if (["hooks", "run", ".drey"].some((name) => existsSync(join(folder, name)))) await backgroundEnds(folder)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  })
  return folder
}

/** Hooks leave work to processes of their own, which would write into a folder that is being removed. Linux lists them. */
async function backgroundEnds(home: string): Promise<void> {
  const isAtWork = () =>
    readdirSync("/proc").some((pid) => {
      try {
        const isDrey = readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(cliPath)
        return isDrey && readFileSync(`/proc/${pid}/environ`, "latin1").includes(`DREY_HOME=${home}`)
      } catch {
        return false // not a process, or it has just ended
      }
    })
  const until = Date.now() + 10_000
  while (existsSync("/proc/self/environ") && isAtWork() && Date.now() < until) await setTimeout(20)
}
