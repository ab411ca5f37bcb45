import { askGit as ask } from "../../disk/git.ts"

/** A first-parent commit; `at` is in seconds. */
export type GitCommit = { id: string; tree: string; at: number }

/** The newest commit at a time in milliseconds; undefined before the first. */
export type CommitAt = (ms: number) => GitCommit | undefined

/** Reads git's log once, on demand. */
export type GitTimeline = () => Promise<CommitAt>

const lastSecond = 8_640_000_000_000

/** The day of a commit. Git accepts any number as a time, even one out of a date's range. */
export function dayOf(seconds: number): string {
  return new Date(Math.min(seconds, lastSecond) * 1000).toISOString().slice(0, 10)
}

/** Access to git's history; `keptAt` is a cache for its log of deletions. */
export type GitHistory = { timeline: GitTimeline; keptAt: string | undefined }

const mostCommits = 50_000

export function openTimeline(root: string): GitTimeline {
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

const chunkBytes = 8 * 1024 * 1024

/**
 * Reads old file contents, each once, in chunks; skips those over `mostBytes`, and everything beyond `mostTogether`.
 */
export async function readBlobs(
  root: string,
  ids: Iterable<string>,
  limits: { mostBytes: number; mostTogether: number },
  take: (id: string, bytes: Buffer) => void,
): Promise<void> {
  let rest = limits.mostTogether
  let chunk: string[] = []
  let size = 0
  for (const { id, bytes } of await sizesOf(root, [...new Set(ids)])) {
    if (bytes > limits.mostBytes || bytes > rest) continue
    rest -= bytes
    size += bytes
    chunk.push(id)
    if (size < chunkBytes) continue
    await readChunk(root, chunk, take)
    chunk = []
    size = 0
  }
  await readChunk(root, chunk, take)
}

async function sizesOf(root: string, ids: readonly string[]): Promise<{ id: string; bytes: number }[]> {
  if (ids.length === 0) return []
  const printed = await askGit(root, ["cat-file", "--batch-check"], `${ids.join("\n")}\n`)
  return (printed?.toString("utf8") ?? "").split("\n").flatMap((line) => {
    const [, id, bytes] = /^([0-9a-f]{40,64}) blob (\d+)$/.exec(line) ?? []
    return id === undefined ? [] : [{ id, bytes: Number(bytes) }]
  })
}

async function readChunk(
  root: string,
  ids: readonly string[],
  take: (id: string, bytes: Buffer) => void,
): Promise<void> {
  if (ids.length === 0) return
  const printed = await askGit(root, ["cat-file", "--batch"], `${ids.join("\n")}\n`)
  for (let at = 0; printed && at < printed.length; ) {
    const end = printed.indexOf(10, at)
    const [, id, size] = /^([0-9a-f]+) blob (\d+)$/.exec(printed.toString("latin1", at, end)) ?? []
    if (id === undefined) return // an object of another type, which was not requested
    take(id, printed.subarray(end + 1, end + 1 + Number(size)))
    at = end + 2 + Number(size)
  }
}

/** The id of each `commit:path` in the given order; undefined if that commit had no such file. */
export async function blobIdsOf(root: string, names: readonly string[]): Promise<(string | undefined)[]> {
  if (names.length === 0) return []
  const asked = names.map((name) => name.replaceAll("\n", "?"))
  const printed = await askGit(root, ["cat-file", "--batch-check"], `${asked.join("\n")}\n`)
  const lines = printed?.toString("utf8").split("\n") ?? []
  return names.map((_, at) => /^([0-9a-f]{40,64}) blob /.exec(lines[at] ?? "")?.[1])
}

/** A long history takes time, and no user waits for the result. */
const timeoutMs = 10 * 60_000

/** Git's output at the top of the repository; undefined when git fails or is missing. */
export function askGit(root: string, args: readonly string[], input = ""): Promise<Buffer | undefined> {
  return ask(root, args, { input, timeoutMs })
}

/** The fields of output with `-z`. */
export async function askGitFields(root: string, args: readonly string[], input = ""): Promise<string[]> {
  const printed = (await askGit(root, args, input))?.toString("utf8") ?? ""
  return printed.split("\0").filter(Boolean)
}
