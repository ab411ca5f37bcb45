import { execFileSync } from "node:child_process"
import { basename, dirname } from "node:path"
import type { ReadContext } from "../formats/read-entries.ts"
import { timestampFromDate } from "../formats/timestamp.ts"

type Commit = { author: string; seconds: number }

/** Who last changed each line of a file and when; undefined where the file is not in git, or git is not there. */
export function blameOf(path: string): ReadContext["blame"] {
  const output = runBlame(path)
  if (output === undefined) return undefined
  const commits = new Map<string, Commit>()
  const byLine: (Commit | undefined)[] = []
  let current: Commit | undefined
  let line = 0
  for (const text of output.split("\n")) {
    const head = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(text)
    if (head?.[1]) {
      line = Number(head[2])
      current = commits.get(head[1]) ?? { author: "", seconds: 0 }
      commits.set(head[1], current)
    } else if (current && text.startsWith("author ")) current.author = text.slice("author ".length)
    else if (current && text.startsWith("author-time ")) current.seconds = Number(text.slice("author-time ".length))
    else if (text.startsWith("\t")) byLine[line] = current
  }
  return (asked) => {
    const commit = byLine[asked]
    if (!commit || commit.author === "" || commit.author === "Not Committed Yet") return undefined
    return { timestamp: timestampFromDate(new Date(commit.seconds * 1000)), author: commit.author }
  }
}

function runBlame(path: string): string | undefined {
  try {
    return execFileSync("git", ["blame", "--porcelain", "--", basename(path)], {
      cwd: dirname(path),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 256 * 1024 * 1024,
    })
  } catch {
    return undefined // not a repository, not tracked, or no git: the entry simply has no date from there
  }
}
