import { dropUnseen } from "../../formats/drop-unseen.ts"
import { findSensitive, scrubText } from "../../governance/find-sensitive.ts"
import { areCompared, type Embed, findDuplicates } from "./find-duplicates.ts"
import { findStale, type Stale } from "./find-stale.ts"
import { type JunkKind, judgeJunk } from "./judge-junk.ts"
import type { BrokenRecord, ReadStore, StoredMemory, StoreFormat } from "./stored-memory.ts"

/** The place of a finding and the beginning of its memory, with secrets masked. */
export type Place = { path: string; line: number; id?: string; excerpt: string }

export type StoreReport = {
  path: string
  format: StoreFormat
  parts: string[]
  memories: number
  /**
   * Memories without findings. Every other one counts once, by the first category that applies; the lists below are
   * complete.
   */
  clean: number
  counts: { secrets: number; junk: number; duplicates: number; stale: number }
  secrets: (Place & { rule: string; kind: string })[]
  junk: (Place & { kind: JunkKind })[]
  /** False if there are too many: then only identical texts are found, not paraphrases. */
  comparedByMeaning: boolean
  duplicates: (Place & { kind: "exact" | "near"; of: Place })[]
  stale: (Place & { kind: Stale["kind"]; what: string })[]
  /** The repository that names were checked against; undefined without one. */
  repository: string | undefined
  /** Files and commands that this repository never had; not an error by itself. */
  unknown: (Place & { what: string })[]
  broken: BrokenRecord[]
}

export type ReportOptions = { root: string | undefined; now: number; oldAfterDays: number; embed: Embed }

/** Reports the quality of a store: junk, duplicates, stale memories, and secrets. Read-only. */
export async function reportOnStore(store: ReadStore, options: ReportOptions): Promise<StoreReport> {
  const { memories } = store
  const place = (at: number) => placeOf(memories[at] as StoredMemory)
  const secrets = memories.flatMap(({ text }, at) =>
    findSensitive(text)
      .filter(({ kind }) => kind !== "other")
      .map(({ rule, kind }) => ({ at, rule, kind })),
  )
  const junk = memories.flatMap(({ text }, at) => {
    const kind = judgeJunk(text)
    return kind === undefined ? [] : [{ at, kind }]
  })
  const isJunk = new Set(junk.map(({ at }) => at))
  const duplicates = findDuplicates(
    memories.map(({ text }, at) => (isJunk.has(at) ? "" : text)),
    options.embed,
  )
  const { stale, unknown } = await findStale(memories, options)
  const found = { secrets, junk, duplicates, stale }
  return {
    path: store.path,
    format: store.format,
    parts: store.parts,
    memories: memories.length,
    ...countOnce(memories.length, found),
    repository: options.root,
    secrets: secrets.map(({ at, ...rest }) => ({ ...place(at), ...rest })),
    junk: junk.map(({ at, ...rest }) => ({ ...place(at), ...rest })),
    comparedByMeaning: areCompared(memories),
    duplicates: duplicates.map(({ at, of, kind }) => ({ ...place(at), kind, of: place(of) })),
    stale: stale.map(({ at, kind, what }) => ({ ...place(at), kind, what: shown(what) })),
    unknown: unknown.map(({ at, what }) => ({ ...place(at), what: shown(what) })),
    broken: store.broken,
  }
}

type Found = Record<keyof StoreReport["counts"], readonly { at: number }[]>

function countOnce(total: number, found: Found): Pick<StoreReport, "clean" | "counts"> {
  const counted = new Set<number>()
  const count = (list: readonly { at: number }[]) => {
    const before = counted.size
    for (const { at } of list) counted.add(at)
    return counted.size - before
  }
  const counts = {
    secrets: count(found.secrets),
    junk: count(found.junk),
    duplicates: count(found.duplicates),
    stale: count(found.stale),
  }
  return { clean: total - counted.size, counts }
}

const longest = 72

function placeOf({ path, line, id, text }: StoredMemory): Place {
  const first = shown(text).replace(/\s+/g, " ").trim()
  const excerpt = first.length > longest ? `${first.slice(0, longest - 1).trimEnd()}…` : first
  return { path, line, ...(id === undefined ? {} : { id: shown(id) }), excerpt }
}

function shown(text: string): string {
  return scrubText(dropUnseen(text.slice(0, 2000)))
}
