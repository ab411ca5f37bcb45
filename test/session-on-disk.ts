import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"

/** An entry as it is in a file, read without Drey. */
export type EntryOnDisk = { file: string; agent: string; section: string; id: string; values: Record<string, unknown> }

/** For tests: every entry in the agents' files of a session, those in the archives too, as often as it occurs. */
export function entriesOnDisk(folder: string): EntryOnDisk[] {
  const files = readdirSync(folder).filter((name) => /^agent-memory(?:-archive)?(?:\..+)?\.yaml$/.test(name))
  return files.sort().flatMap((file) => {
    const memory = parse(readFileSync(join(folder, file), "utf8"))
    return ["discoveries", "attempts", "decisions"].flatMap((section) =>
      (memory[section] ?? []).map((values: Record<string, unknown>) => ({
        file,
        agent: memory.agent,
        section,
        id: values.id,
        values,
      })),
    )
  })
}

/** What is there more than once; an agent's id is one entry wherever it is. */
export function doubledOnDisk(folder: string): string[] {
  const names = entriesOnDisk(folder).map(nameOf)
  return names.filter((name, at) => names.indexOf(name) !== at)
}

export function nameOf({ agent, section, id }: Pick<EntryOnDisk, "agent" | "section" | "id">): string {
  return `${agent} ${section} ${id}`
}
