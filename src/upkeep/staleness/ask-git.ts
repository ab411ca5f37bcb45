import { spawn } from "node:child_process"

/** What git prints; undefined when it says no, or is not there. Never fetches what a partial clone left behind. */
export function askGit(root: string, args: readonly string[], input = ""): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const environment = { ...process.env, LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1" }
    const git = spawn("git", args, {
      cwd: root,
      env: environment,
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    })
    const chunks: Buffer[] = []
    git.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
    git.stdin.on("error", () => {}) // it ended before it had read all; its code tells
    git.on("error", () => resolve(undefined))
    git.on("close", (code) => resolve(code === 0 ? Buffer.concat(chunks) : undefined))
    git.stdin.end(input)
  })
}

/** The fields of what it prints under `-z`. */
export async function askGitFields(root: string, args: readonly string[], input = ""): Promise<string[]> {
  const printed = (await askGit(root, args, input))?.toString("utf8") ?? ""
  return printed.split("\0").filter(Boolean)
}
