import { DreyError } from "../../errors.ts"

type MergedRecord = { id?: unknown; updatedAt?: unknown }

/** Merges two versions of `memory/index.json`: all records of both, the newest version of each. */
export function mergeIndex({ ours, theirs }: { ours: string; theirs: string }): string {
  const merged = new Map<unknown, MergedRecord>()
  for (const record of [...readRecords(ours), ...readRecords(theirs)]) {
    const key = record.id ?? JSON.stringify(record)
    const known = merged.get(key)
    if (!known || String(record.updatedAt ?? "") > String(known.updatedAt ?? "")) merged.set(key, record)
  }
  return `${JSON.stringify([...merged.values()], null, 2)}\n`
}

/**
 * Merges two versions of `memory/audit.jsonl` line by line, sorted by time, then writer and number. Lines of one writer form
 * a chain, so they stay in order of their numbers even if its clock jumped. A damaged line stays after the one above it.
 */
export function mergeAudit({ ours, theirs }: { ours: string; theirs: string }): string {
  const lines = new Map<string, MergedAuditLine>()
  for (const text of [ours, theirs]) {
    let above: MergedAuditLine | undefined
    for (const line of text.split(/\r?\n/)) {
      if (line.trim() === "") continue
      above = lines.get(line) ?? readAuditLine(line, above)
      lines.set(line, above)
    }
  }
  const all = [...lines.values()]
  keepChainsInOrder(all)
  // The sort is stable, so equal lines keep their order.
  all.sort(
    (one, other) => compare(one.time, other.time) || compare(one.writer, other.writer) || one.number - other.number,
  )
  return all.map(({ line }) => `${line}\n`).join("")
}

type MergedAuditLine = { line: string; time: string; writer: string; number: number }

function readAuditLine(line: string, above: MergedAuditLine | undefined): MergedAuditLine {
  try {
    const { timestamp, writer, seq }: Record<string, unknown> = JSON.parse(line) ?? {}
    return {
      line,
      time: typeof timestamp === "string" ? timestamp : (above?.time ?? ""),
      writer: typeof writer === "string" ? writer : "",
      number: typeof seq === "number" ? seq : 0,
    }
  } catch {
    return { ...(above ?? { time: "", writer: "", number: 0 }), line } // damaged: keep its position
  }
}

function keepChainsInOrder(lines: MergedAuditLine[]): void {
  const latest = new Map<string, string>()
  const numbered = lines.filter(({ writer }) => writer !== "").sort((one, other) => one.number - other.number)
  for (const line of numbered) {
    const before = latest.get(line.writer) ?? ""
    if (line.time < before) line.time = before
    latest.set(line.writer, line.time)
  }
}

function readRecords(text: string): MergedRecord[] {
  if (text.trim() === "") return []
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new DreyError("One side's index is not valid JSON") // the parser's message would quote it
  }
  if (Array.isArray(value) && value.every((each) => typeof each === "object" && each !== null)) return value
  throw new DreyError("One side's index is not a list of records")
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
