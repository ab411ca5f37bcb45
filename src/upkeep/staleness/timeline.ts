import { askGit } from "./ask-git.ts"

/** Of the main line of the history; `at` is in seconds. */
export type Commit = { id: string; tree: string; at: number }

/** Tells the commit that was the newest at a time in milliseconds; undefined before the first. */
export type CommitAt = (ms: number) => Commit | undefined

/** Asks git once, when somebody wants to know. */
export type Timeline = () => Promise<CommitAt>

const lastSecond = 8_640_000_000_000

/** The day of a commit. Git takes any number for its time, also one that no calendar has. */
export function dayOf(seconds: number): string {
  return new Date(Math.min(seconds, lastSecond) * 1000).toISOString().slice(0, 10)
}

/** What can be asked about the past; `keptAt` is where git's log of deletions may be kept. */
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
