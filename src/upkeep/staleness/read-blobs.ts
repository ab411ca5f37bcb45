import { askGit } from "./ask-git.ts"

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
