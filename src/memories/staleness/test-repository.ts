import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"

/** A repository in a temporary folder, whose commits have the dates that a test gives them. */
export function makeRepository() {
  const root = makeFolder()
  const run = gitIn(root)
  run("init", "-q", "-b", "main")
  return {
    root,
    git: run,
    write: (files: Record<string, string | Uint8Array>) => writeFiles(root, files),
    /** Commits all there is. */
    commit(day: string): void {
      const at = `${day}T12:00:00Z`
      run("add", "-A")
      gitIn(root, { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at })("commit", "-q", "--allow-empty", "-m", day)
    },
  }
}

export function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "drey-test-")))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function writeFiles(root: string, files: Record<string, string | Uint8Array>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}

export function gitIn(root: string, environment: NodeJS.ProcessEnv = {}) {
  const who = ["-c", "user.name=Ines", "-c", "user.email=ines@example.com", "-c", "protocol.file.allow=always"]
  return (...args: string[]): string =>
    execFileSync("git", [...who, ...args], {
      cwd: root,
      env: { ...process.env, ...environment },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    })
}

/** A source file of so many different lines. */
export function source(name: string, lines = 12): string {
  return Array.from({ length: lines }, (_, at) => `export const ${name}${at} = "${name} ${at}"\n`).join("")
}
