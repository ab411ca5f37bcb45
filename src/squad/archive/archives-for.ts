import { DreyError } from "../../errors.ts"
import type { Work } from "../tidy/work.ts"

/**
 * The archive files to try in order: the requested one, unless it is unreadable, and a second one for entries that would
 * parse differently next to the contents of the first.
 */
export function archivesFor(work: Work, target: string): string[] {
  const names = [1, 2, 3].map((number) => (number === 1 ? target : target.replace(/\.md$/, `-${number}.md`)))
  const readable = names.filter((name) => {
    try {
      work.draft.text(name)
      return true
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      if (!work.notes.includes(error.message)) work.notes.push(error.message) // leave the unreadable file unchanged and use another
      return false
    }
  })
  return readable.slice(0, 2)
}
