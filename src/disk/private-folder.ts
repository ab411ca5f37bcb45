import { lstatSync } from "node:fs"

/**
 * Why a folder is not the user's alone, as the end of a sentence; undefined when it is, or when it is not there. Windows keeps who may
 * enter a folder in another way and is not asked.
 */
export function whyNotPrivate(folder: string): string | undefined {
  const user = process.getuid?.()
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found === undefined || user === undefined) return undefined
  if (!found.isDirectory()) return "it is not a folder" // a link is not one either: who made it may point it elsewhere
  if (found.uid !== user) return "it belongs to another user"
  return (found.mode & 0o077) === 0 ? undefined : "other users can enter it"
}
