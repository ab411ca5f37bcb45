import { basename } from "node:path"
import { openDatabase, type SqlRow } from "../../disk/sqlite.ts"
import { DreyError } from "../../errors.ts"
import type { EntryType } from "../../formats/entry.ts"
import { isRecord } from "../../formats/objects.ts"
import { dayOf } from "../../formats/timestamp.ts"
import type { ForeignEntry } from "./foreign-entry.ts"

/** What claude-mem keeps of a session and why: decisions, findings and fixes. Its log of features and changes is left out. */
const typeOf: Record<string, EntryType> = { decision: "decision", discovery: "memory", bugfix: "memory" }

export type ClaudeMem = { entries: ForeignEntry[]; skipped: { reason: string; count: number }[] }

/** Reads the observations of one project from claude-mem's database; undefined if it is another program's. */
export function readClaudeMem(path: string, project: string): ClaudeMem | undefined {
  const database = openDatabase(path, { readOnly: true, timeoutMs: 500 })
  try {
    const columns = new Set(
      database
        .prepare("SELECT name FROM pragma_table_info('observations')")
        .all()
        .map(({ name }) => String(name)),
    )
    if (!["project", "type", "text", "created_at"].every((name) => columns.has(name))) return undefined
    const rows = database.prepare("SELECT * FROM observations ORDER BY id").all()
    const own = rows.filter((row) => String(row.project) === project)
    if (own.length === 0 && rows.length > 0) {
      const names = [...new Set(rows.map((row) => String(row.project)))]
      throw new DreyError(`${path} has no observations of the project "${project}"`, {
        hint: `It has: ${names.slice(0, 8).join(", ")}`,
      })
    }
    const kept = own.filter((row) => typeOf[String(row.type)] !== undefined)
    const skipped = [
      { reason: "of other projects", count: rows.length - own.length },
      { reason: "log entries of features, refactorings and changes", count: own.length - kept.length },
    ]
    return {
      entries: kept.map((row) => toEntry(row, basename(path))),
      skipped: skipped.filter(({ count }) => count > 0),
    }
  } finally {
    database.close()
  }
}

function toEntry(row: SqlRow, file: string): ForeignEntry {
  const text = (name: string) => (typeof row[name] === "string" ? (row[name] as string).trim() : "")
  const facts = listIn(text("facts")).map((fact) => `- ${fact}`)
  const parts = [text("subtitle"), text("narrative") || text("text"), facts.join("\n")].filter(Boolean)
  const at = Date.parse(text("created_at")) || Number(row.created_at_epoch)
  return {
    key: String(row.id),
    file,
    line: 1,
    type: typeOf[text("type")] as EntryType,
    title: text("title") || text("text").split("\n", 1)[0] || `Observation ${row.id}`,
    details: parts.join("\n\n"),
    ...(at > 0 ? { date: dayOf(at) } : {}),
    authors: ["claude"],
    tags: ["claude-mem", text("type"), ...listIn(text("concepts"))],
    supersedes: [],
    extensions: [{ name: "observation", value: String(row.id) }],
  }
}

/** A JSON array of texts, as claude-mem stores facts and concepts. */
function listIn(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text || "[]")
    if (Array.isArray(value)) return value.filter((each): each is string => typeof each === "string")
    return isRecord(value) ? Object.values(value).map(String) : []
  } catch {
    return [text] // older versions wrote plain text
  }
}
