import { existsSync } from "node:fs"
import { join } from "node:path"
import { agentOfScope, agentScope, type Entry, titleLimit } from "../../formats/entry.ts"
import { normalizeEntry, writeEntry } from "../../formats/entry-writer.ts"
import { derivedId } from "../../formats/ids.ts"
import { namesIn } from "../../formats/legacy/roster.ts"
import { dominantLineEnd } from "../../formats/source-text.ts"
import { truncate } from "../../formats/text.ts"
import { alreadyStored } from "../../governance/cleared.ts"
import type { ChangePlan } from "../change-plan.ts"
import { appendEntries, contextAt } from "../draft.ts"
import { freeSecond } from "../governed/agent-history.ts"

/** Adds a note about each new entry to the histories of the agents named in its scope or text. */
export function notifyAgents(work: ChangePlan, entries: readonly Entry[]): string[] {
  const told: string[] = []
  for (const entry of entries) {
    for (const { agent, path, after } of updatesFor(work, entry)) {
      work.draft.put(path, alreadyStored(after))
      if (!told.includes(agent)) told.push(agent)
    }
  }
  return told
}

/** The agents that a new entry names, and their histories without and with the note about it. */
export function updatesFor(
  work: ChangePlan,
  entry: Entry,
): { agent: string; path: string; before: string; after: string }[] {
  return agentsNamed(work, entry).map((agent) => {
    const path = `agents/${agent}/history.md`
    const before = work.draft.text(path) ?? ""
    const lineEnd = dominantLineEnd(before)
    const start = before === "" ? `# History${lineEnd}${lineEnd}## Learnings${lineEnd}` : before
    const note = normalizeEntry({
      type: "note",
      timestamp: freeSecond(start, work.now),
      author: entry.author,
      title: truncate(`Team update: ${entry.title}`, titleLimit),
      summary: entry.summary,
      scope: agentScope(agent),
      tags: ["team-update"],
      related: [{ type: "decision", identifier: entry.id ?? derivedId(entry) }],
    })
    const after = appendEntries(start, [writeEntry(note, { lineEnd })], contextAt(path, work.roster))
    return { agent, path, before, after }
  })
}

function agentsNamed({ draft, roster }: ChangePlan, entry: Entry): string[] {
  const text = [entry.title, entry.summary, entry.details ?? "", entry.rationale ?? ""].join("\n")
  const names = new Set(namesIn(text, roster).map((name) => name.toLowerCase()))
  const inScope = agentOfScope(entry.scope)
  if (inScope) names.add(inScope)
  names.delete(entry.author.toLowerCase()) // the author knows already
  return [...names].filter((name) => existsSync(join(draft.folder.path, "agents", name))).sort()
}
