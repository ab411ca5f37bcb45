import type { FileKind } from "./legacy/fallbacks.ts"

/** The kind of file that an entry is in, in order of precedence. An archived history is an archive. */
export const entrySources = ["decisions", "inbox", "archive", "history", "skills"] as const
export type EntrySource = (typeof entrySources)[number]

/** Where a file's entries belong, and how the file is read; `agent` owns it. */
export type EntryPlace = { source: EntrySource; kind: FileKind; agent: string | undefined }

/** By a path below the team folder; undefined if the file cannot contain entries. */
export function entryPlaceOf(path: string): EntryPlace | undefined {
  const place = (source: EntrySource, kind: FileKind, agent?: string): EntryPlace => ({ source, kind, agent })
  const history = /^agents\/(?:_alumni\/)?([^/]+)\/(history.*\.md)$/i.exec(path)
  if (history) return place(history[2]?.toLowerCase() === "history.md" ? "history" : "archive", "history", history[1])
  if (/^skills\/[^/]+\/.*\.md$/i.test(path) && !/\/\./.test(path)) return place("skills", "skill")
  if (!/^decisions(?:\/.*|[^/]*)\.md$/i.test(path) || /\/\./.test(path)) return undefined
  if (path.startsWith("decisions/inbox/")) return place("inbox", "inbox")
  return /archive/i.test(path) ? place("archive", "archive") : place("decisions", "decisions")
}
