import { isBusy } from "../disk/sqlite.ts"
import { DreyError } from "../errors.ts"
import type { Account } from "./account.ts"
import type { Batch, Position } from "./client.ts"
import { lookOf } from "./look-of.ts"

/** What was read, or `unchanged`. */
export type Reading = { account: Account | "unchanged"; bytes: number; stamp?: string }

/**
 * Reads files that cannot be read incrementally: as a whole, whenever one of them changed. The first must exist. `read`
 * gets its last stamp, so that it can skip irrelevant changes. Errors are counted.
 */
export async function* readWhole(
  paths: string[],
  from: Position | undefined,
  read: (before: string | undefined) => Reading,
): AsyncGenerator<Batch> {
  const looks = paths.map(lookOf)
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

const nothing: Account = { events: [], records: 0, unknown: {} }

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
