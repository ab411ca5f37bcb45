import { DreyError } from "../../errors.ts"
import type { Work } from "../tidy/work.ts"

/**
 * The files in which to archive, in turn: the one asked for, unless it cannot be read, and a second one for entries that
 * would read differently among what the first holds.
 */
export function archivesFor(work: Work, target: string): string[] {
  const names = [1, 2, 3].map((number) => (number === 1 ? target : target.replace(/\.md$/, `-${number}.md`)))
  const readable = names.filter((name) => {
    try {
      work.draft.text(name)
      return true
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      if (!work.notes.includes(error.message)) work.notes.push(error.message) // it keeps what it has; another takes the rest
      return false
    }
  })
  return readable.slice(0, 2)
}
