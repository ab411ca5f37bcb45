import { askGit } from "./ask-git.ts"

/** A first-parent commit; `at` is in seconds. */
export type Commit = { id: string; tree: string; at: number }

/** The newest commit at a time in milliseconds; undefined before the first. */
export type CommitAt = (ms: number) => Commit | undefined

/** Reads git's log once, on demand. */
export type Timeline = () => Promise<CommitAt>

const lastSecond = 8_640_000_000_000

/** The day of a commit. Git accepts any number as a time, even one out of a date's range. */
export function dayOf(seconds: number): string {
  return new Date(Math.min(seconds, lastSecond) * 1000).toISOString().slice(0, 10)
}

/** Access to git's history; `keptAt` is a cache for its log of deletions. */
export type History = { timeline: Timeline; keptAt: string | undefined }

const mostCommits = 50_000

export function openTimeline(root: string): Timeline {
  let asked: Promise<CommitAt> | undefined
  return () => {
    asked ??= readTimeline(root)
    return asked
  }
}

async function readTimeline(root: string): Promise<CommitAt> {
  const args = ["log", "--first-parent", "--format=%H %T %ct", "-n", String(mostCommits), "HEAD"]
  const lines = ((await askGit(root, args))?.toString("latin1") ?? "").split("\n").filter(Boolean)
  const commits = lines.map((line) => {
    const [id = "", tree = "", at] = line.split(" ")
    return { id, tree, at: Number(at) }
  })
  return (ms) => commits.find(({ at }) => at * 1000 <= ms)
}
