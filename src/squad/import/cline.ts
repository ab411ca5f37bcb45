import type { EntryType } from "../../formats/entry.ts"
import type { ForeignEntry, ForeignFile } from "./foreign-entry.ts"
import { sectionsOf } from "./markdown-sections.ts"

/** The entry type for each file of a memory bank: learnings become memories, project descriptions notes. */
const typeByFile: Record<string, EntryType> = {
  projectbrief: "note",
  productcontext: "note",
  activecontext: "note",
  progress: "note",
  systempatterns: "memory",
  techcontext: "memory",
}

/** Reads Cline's memory bank: six files whose sections become entries. */
export function readCline(files: readonly ForeignFile[]): ForeignEntry[] {
  return files.flatMap(({ path, text }) => {
    const name = bankFile(path)
    const type = typeByFile[name.toLowerCase()]
    if (type === undefined) return []
    return sectionsOf(text, 2)
      .filter((section) => section.text.trim() !== "")
      .map(({ heading, line, text: details }): ForeignEntry => {
        const title = heading === "" ? name : `${name}: ${heading}`
        const base = { file: path, line, type, title, details, authors: [], supersedes: [], extensions: [] }
        return { key: `${path}\n${heading}`, tags: ["memory-bank", name], ...base }
      })
  })
}

export function isClineFile({ path }: ForeignFile): boolean {
  return bankFile(path).toLowerCase() in typeByFile
}

function bankFile(path: string): string {
  return path.replace(/^.*\/|\.md$/gi, "")
}
