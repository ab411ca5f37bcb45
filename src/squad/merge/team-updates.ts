import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Entry } from "../../formats/entry.ts"
import { namesIn } from "../../formats/legacy/roster.ts"
import { readEntries } from "../../formats/read-entries.ts"
import { agentOfScope } from "../../formats/scope.ts"
import { dominantLineEnd } from "../../formats/source-text.ts"
import { alreadyStored } from "../../governance/cleared.ts"
import { withGap } from "../append-entries.ts"
import { contextAt } from "../draft.ts"
import type { Work } from "../tidy/work.ts"

/** Tells the agents that a new entry names, in its scope or its text, about it: one line at the end of each one's history. */
export function tellAgents(work: Work, entries: readonly Entry[]): string[] {
  const told: string[] = []
  for (const entry of entries) {
    for (const { agent, path, line } of updatesFor(work, entry)) {
      const text = work.draft.text(path) ?? ""
      work.draft.put(path, alreadyStored(withUpdate(work, path, text, line)))
      if (!told.includes(agent)) told.push(agent)
    }
  }
  return told
}

/** Whom a new entry names, the history where the news will stand, and the news. */
export function updatesFor(work: Work, entry: Entry): { agent: string; path: string; line: string }[] {
  const line = lineFor(entry, work.now)
  return agentsNamed(work, entry).map((agent) => ({ agent, path: `agents/${agent}/history.md`, line }))
}

function lineFor(entry: Entry, now: Date): string {
  return `📌 Team update (${now.toISOString().slice(0, 19)}Z): ${entry.summary} — decided by ${entry.author}`
}

function agentsNamed({ draft, roster }: Work, entry: Entry): string[] {
  const text = [entry.title, entry.summary, entry.details ?? "", entry.rationale ?? ""].join("\n")
  const names = new Set(namesIn(text, roster).map((name) => name.toLowerCase()))
  const inScope = agentOfScope(entry.scope)
  if (inScope) names.add(inScope)
  names.delete(entry.author.toLowerCase()) // who decided it knows
  return [...names].filter((name) => existsSync(join(draft.folder.path, "agents", name))).sort()
}

/** The line stands below an entry only where it does not become a part of it; else a section of its own begins. */
function withUpdate({ roster }: Work, path: string, text: string, line: string): string {
  const lineEnd = dominantLineEnd(text)
  const context = contextAt(path, roster)
  const start = text === "" ? `# History${lineEnd}${lineEnd}## Learnings${lineEnd}` : text
  const before = readEntries(start, context)
  const heads = ["", `## Team Updates${lineEnd}${lineEnd}`, `# Team Updates${lineEnd}${lineEnd}`]
  const candidates = heads.map((head) => `${withGap(start, lineEnd)}${head}${line}${lineEnd}`)
  const fitting = candidates.find((candidate) => {
    const after = readEntries(candidate, context)
    const same = before.entries.every(({ id }, index) => after.entries[index]?.id === id)
    const last = after.entries.at(-1)
    const isOwn = last?.format === "legacy" && last.unit === "update"
    return same && isOwn && after.entries.length === before.entries.length + 1
  })
  return fitting ?? candidates[1] ?? start
}
