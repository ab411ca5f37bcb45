import { type BigIntStats, statSync } from "node:fs"
import { isBusy } from "../../disk/sqlite.ts"
import { DreyError } from "../../errors.ts"
import type { Position } from "../../formats/client-events.ts"
import type { Batch } from "../client.ts"
import type { TranscriptReading } from "./event-collector.ts"

/** What was read, or `unchanged`. */
export type Reading = { account: TranscriptReading | "unchanged"; bytes: number; stamp?: string }

/**
 * Reads files that cannot be read incrementally: as a whole, whenever one of them changed. The first must exist. `read`
 * gets its last stamp, so that it can skip irrelevant changes. Errors are counted.
 */
export async function* readWhole(
  paths: string[],
  from: Position | undefined,
  read: (before: string | undefined) => Reading,
): AsyncGenerator<Batch> {
  const looks = paths.map(fileStamp)
  if (looks[0] === "") return
  const [looksBefore, ...rest] = from?.stamp.split("#") ?? []
  if (looksBefore === looks.join("+")) return
  const { account, bytes, stamp } = attempt(() => read(from === undefined ? undefined : rest.join("#")))
  const { events, records, unknown } = account === "unchanged" ? nothing : account
  const position = {
    offset: 0,
    line: 0,
    stamp: stamp === again ? "" : `${looks.join("+")}#${stamp ?? ""}`,
    carried: "",
  }
  yield { events, records, unknown, bytes, position }
}

const nothing: TranscriptReading = { events: [], records: 0, unknown: {} }

/** The stamp of a reading to retry although nothing changed. */
const again = "again"

function attempt(read: () => Reading): Reading {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    const unreadable: Reading = { account: { ...nothing, unknown: { unreadable: 1 } }, bytes: 0 }
    return isBusy(error) ? { ...unreadable, stamp: again } : unreadable
  }
}

/** Identifies a state of a file; "" if it is missing or not accessible. */
export function fileStamp(path: string): string {
  const stats = statsOf(path)
  return stats?.isFile() ? `${stats.ino}.${stats.size}.${stats.mtimeNs}` : ""
}

/** Identifies a file, to detect that another took its place. */
export function fileIdentity(path: string): string {
  const stats = statsOf(path)
  return stats === undefined ? "" : `${stats.dev}.${stats.ino}`
}

function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true })
  } catch {
    return undefined // another program's file: it may be missing, not accessible, or removed meanwhile
  }
}
