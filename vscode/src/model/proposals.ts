import {
  clearText,
  cutAtWord,
  derivedId,
  dominantLineEnd,
  type Entry,
  type EntryType,
  markEntry,
  normalizeEntry,
  readEntries,
  timestampFromDate,
  toMarkdownTimestamp,
  writeEntry,
} from "../../../src/formats.ts"
import type { TeamModel } from "./team-model.ts"

/** What a file will be; null: it is removed. */
export type FileChange = { path: string; text: string | null }

/** A planned change of the team folder, or why it is not made; a reason never contains the text. */
export type Plan =
  | { kind: "planned"; id: string; changes: FileChange[] }
  | { kind: "refused"; reason: string; line: number }

/** `details`: what the statement is about, such as the selected code. */
export type NewStatement = { type: EntryType; text: string; details?: string; why?: string; author: string }

/** Moves a proposal from the inbox to decisions.md, and marks what it replaces. */
export function planAcceptance(model: TeamModel, key: string): Plan {
  const found = findProposal(model, key)
  if (!found) return gone()
  const { entry, id, rest, text, path } = found
  const cleared = clearText(text)
  if (cleared.kind === "refused")
    return { kind: "refused", reason: cleared.reason, line: found.line + cleared.line - 1 }
  const { review: _, ...kept } = normalizeEntry(entry)
  const accepted = derivedId(kept) === id || kept.id !== undefined ? kept : { ...kept, id }
  return withEntry(model, path, accepted, id, [{ path, text: rest.trim() === "" ? null : rest }])
}

/** Moves a proposal to `.refused`, with the reason, so that it is not proposed again. */
export function planRefusal(model: TeamModel, key: string, reason: string): Plan {
  const found = findProposal(model, key)
  if (!found) return gone()
  const cleared = clearText(reason)
  if (cleared.kind === "refused") return { kind: "refused", reason: cleared.reason, line: cleared.line }
  const { path, text, rest, id } = found
  const name = path.slice(path.lastIndexOf("/") + 1)
  const note = cleared.text.trim() === "" ? "" : `<!-- refused: ${cleared.text.trim().replaceAll("--", "—")} -->\n`
  const to = `${path.slice(0, path.lastIndexOf("/"))}/.refused/${name}`
  return {
    kind: "planned",
    id,
    changes: [
      { path: to, text: note + text },
      { path, text: rest.trim() === "" ? null : rest },
    ],
  }
}

/** Adds what the user states to decisions.md. */
export function planStatement(model: TeamModel, folder: string, statement: NewStatement): Plan {
  const { type, text, details = "", why = "", author } = statement
  for (const part of [text, details, why, author]) {
    const cleared = clearText(part)
    if (cleared.kind === "refused") return { kind: "refused", reason: cleared.reason, line: cleared.line }
  }
  const words = text.replace(/\s+/g, " ").trim()
  if (words === "") return { kind: "refused", reason: "it has no text", line: 1 }
  const summary = cutAtWord(words)
  const entry = normalizeEntry({
    ...{ type, author, title: summary, summary },
    timestamp: freeTime(model),
    details: [summary === words ? "" : text, details].filter(Boolean).join("\n\n"),
    ...(why.trim() === "" ? {} : { rationale: why }),
  })
  return withEntry(model, `${folder}/`, entry, derivedId(entry), [])
}

/** Marks that one entry replaces another, in both. */
export function planSupersession(model: TeamModel, older: string, newer: string): Plan {
  const rows = model.rows()
  const [old, young] = [rows.find(({ id }) => id === older), rows.find(({ id }) => id === newer)]
  if (!old || !young || old.id === young.id) return gone()
  const changes = new Map<string, string>()
  const edit = (path: string, change: (text: string) => string) =>
    changes.set(path, change(changes.get(path) ?? model.text(path) ?? ""))
  edit(old.path, (text) =>
    markEntry(text, contextOf(model, old.path), older, {
      field: "supersededBy",
      value: nameOf(model, newer),
      title: young.title,
    }),
  )
  return { kind: "planned", id: newer, changes: [...changes].map(([path, text]) => ({ path, text })) }
}

/** What decisions.md would become, for a diff. */
export function previewAcceptance(model: TeamModel, key: string): { path: string; text: string } | undefined {
  const plan = planAcceptance(model, key)
  const change = plan.kind === "planned" ? plan.changes.find(({ path }) => path.endsWith("/decisions.md")) : undefined
  return change?.text == null ? undefined : { path: change.path, text: change.text }
}

function withEntry(model: TeamModel, near: string, entry: Entry, id: string, further: FileChange[]): Plan {
  const decisions = `${near.slice(0, near.indexOf("/"))}/decisions.md`
  const before = model.text(decisions) ?? "# Team decisions\n"
  const grown = model.withEntries(decisions, [writeEntry(entry, { lineEnd: dominantLineEnd(before) })])
  const context = contextOf(model, decisions)
  const count = (text: string) => readEntries(text, context).entries.length
  if (count(grown) !== count(before) + 1)
    return { kind: "refused", reason: "decisions.md would be read differently", line: 1 }
  const changes = new Map<string, string | null>([
    [decisions, grown],
    ...further.map(({ path, text }) => [path, text] as const),
  ])
  for (const reference of entry.supersedes) {
    const old = model.resolve(reference)
    if (!old || old.source === "inbox") continue
    const text = changes.get(old.path) ?? model.text(old.path) ?? ""
    const mark = { field: "supersededBy", value: toMarkdownTimestamp(entry.timestamp), title: entry.title } as const
    changes.set(old.path, markEntry(text, contextOf(model, old.path), old.id, mark))
  }
  return { kind: "planned", id, changes: [...changes].map(([path, text]) => ({ path, text })) }
}

function contextOf(model: TeamModel, path: string) {
  return model.file(path)?.context ?? { kind: "decisions" as const, fileName: "decisions.md", roster: model.roster() }
}

/** The timestamp if no other entry has it, otherwise the id. */
function nameOf(model: TeamModel, id: string): string {
  const entry = model.entry(id)?.entry
  if (!entry || entry.precision === "day") return id
  const written = toMarkdownTimestamp(entry.timestamp)
  return model.resolve(written)?.id === id ? written : id
}

function freeTime(model: TeamModel): string {
  const taken = new Set(model.rows().map(({ at }) => Math.floor(at / 1000)))
  let second = Math.floor(model.now().getTime() / 1000)
  while (taken.has(second)) second++
  return timestampFromDate(new Date(second * 1000))
}

function findProposal(model: TeamModel, key: string) {
  const path = key.replace(/#\d+$/, "")
  const file = model.file(path)
  const nth = Number(/#(\d+)$/.exec(key)?.[1] ?? 1) - 1
  const own = file?.read.entries[nth]
  if (!file || !own) return undefined
  // The text around the entries of a file belongs to the entry before it, or the first, as it does in a merge.
  const parts: string[] = []
  let isFirst = true
  for (const { text, entry } of file.read.segments) {
    if (parts.length === 0 || (entry && !isFirst)) parts.push(text)
    else parts.push((parts.pop() ?? "") + text)
    if (entry) isFirst = false
  }
  const rest = parts.filter((_, index) => index !== nth).join("")
  return { path, entry: own.entry, id: own.id, line: own.line, text: parts[nth] ?? "", rest }
}

function gone(): Plan {
  return { kind: "refused", reason: "it is no longer there", line: 1 }
}
