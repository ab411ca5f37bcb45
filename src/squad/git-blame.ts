import { findRepository, runGit } from "../disk/git.ts"
import type { ReadContext } from "../formats/read-entries.ts"
import { timestampFromDate } from "../formats/timestamp.ts"

type Commit = { author: string; seconds: number }

/** The author and time of the last change of each line of a file; undefined if the file is not in git or git is missing. */
export function blameOf(folder: string, path: string): ReadContext["blame"] {
  const fromTop = `${findRepository(folder)?.prefix ?? ""}${path}`
  const output = runGit(folder, ["blame", "--porcelain", "--", fromTop])?.toString("utf8")
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
