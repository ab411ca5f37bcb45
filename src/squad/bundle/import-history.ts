import { headingLevel } from "../../formats/demote-headings.ts"
import { type Cleared, generated, joinCleared } from "../../governance/cleared.ts"
import type { ClearedPiece } from "./clear-file.ts"

/** Notes where an agent's history came from, and moves project-specific sections below the portable ones. */
export function importHistory(pieces: readonly ClearedPiece[], label: string, now: Date): Cleared {
  const portable: Cleared[] = []
  const project: Cleared[] = []
  let target = portable
  for (const { text } of pieces) {
    const heading = /^(?:\uFEFF)?(#{1,3}[ \t].*)$/m.exec(text)?.[1]
    if (heading !== undefined && text.trimStart().startsWith(heading)) {
      if (isOfProject(heading)) target = project
      else if (isPortable(heading)) target = portable
    }
    target.push(text)
  }
  const note = generated(`> ${importNote(label, now)}\n\n`)
  if (project.length === 0) return joinCleared([note, ...portable])
  const apart = generated(`\n## Project Learnings (from import — ${label})\n\n`)
  return joinCleared([note, ...portable.map(endLine), apart, ...project.map(endLine)])
}

export function importNote(label: string, now: Date): string {
  return `Imported from ${label} on ${now.toISOString()}. Portable knowledge comes first; knowledge about that project is in a section of its own below.`
}

/** Sections about one project's files, sprints and pull requests. */
function isOfProject(heading: string): boolean {
  return /^#{1,3}[ \t]*(?:key file paths|file (?:system|structure)|project (?:context|structure|learnings)|sprint|session|PR\s*#)/i.test(
    heading,
  )
}

function isPortable(heading: string): boolean {
  return headingLevel(heading) <= 2 || /^#{1,3}[ \t]*(?:learnings|portable knowledge|team updates)/i.test(heading)
}

function endLine(text: Cleared): Cleared {
  return text.endsWith("\n") ? text : joinCleared([text, generated("\n")])
}
