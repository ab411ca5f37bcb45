import type { IndexStats, IndexStore } from "../../index/index-store.ts"
import type { TeamStore } from "../../team/team-folder.ts"
import type { LearnedSource } from "../learned-recall.ts"
import { readChanges } from "./origin-changes.ts"
import { listOrigins, type ReadProblems, readProblemsIn } from "./origins.ts"

export type Reindexing = ReadProblems & { stats: IndexStats; seconds: number }

/** Embeds passages with the transformer. */
export type DeepEmbed = (texts: string[]) => Promise<Float32Array[]>

export type ReindexOptions = {
  now: () => Date
  /** The folder of the sessions; without it the new index has no session notes. */
  sessions: string | undefined
  learned: (() => LearnedSource | undefined) | undefined
  /** Also computes the transformer's vectors with this. */
  deep?: DeepEmbed | undefined
  progress?: ((done: number, total: number) => void) | undefined
}

/**
 * Rebuilds the index from every file of the store and the learned memories. Concurrent searches see the old index until
 * the new one is complete.
 */
export async function reindex(index: IndexStore, store: TeamStore, options: ReindexOptions): Promise<Reindexing> {
  const started = performance.now()
  await rebuild(index, store, options)
  if (options.deep) await deepen(index, options.deep, options.progress)
  return {
    ...readProblemsIn(await index.origins()),
    stats: await index.stats(),
    seconds: (performance.now() - started) / 1000,
  }
}

/** Concurrent searches may index newer content meanwhile: then everything is read again, up to this many times. */
const mostRounds = 5

async function rebuild(index: IndexStore, store: TeamStore, options: ReindexOptions): Promise<void> {
  for (let round = 1; ; round++) {
    const known = await index.origins()
    const origins = listOrigins(store, options.sessions)
    const { changed } = await readChanges(store, origins, options.learned?.(), new Map(), options.now)
    const { overtaken } = await index.rebuild(changed, round < mostRounds ? known : undefined)
    if (overtaken.length === 0) return
  }
}

const batch = 64

/** Computes the transformer's vectors in batches; finished batches survive the end of the process. */
export async function deepen(
  index: IndexStore,
  embed: DeepEmbed,
  progress: ReindexOptions["progress"],
): Promise<number> {
  const before = (await index.stats()).vectors.minilm.items
  let done = 0
  for (;;) {
    const missing = await index.missingVectors("minilm", batch)
    if (missing.length === 0) return done
    const vectors = await embed(missing.flatMap(({ passages }) => passages))
    let at = 0
    const filled = missing.map(({ row, hash, passages }) => {
      at += passages.length
      return { row, hash, vectors: vectors.slice(at - passages.length, at) }
    })
    done += await index.putVectors("minilm", filled)
    progress?.(before + done, (await index.stats()).items)
  }
}
