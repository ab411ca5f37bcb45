import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { EntryType } from "../../src/formats/entry.ts"
import { normalizeEntry, writeEntry } from "../../src/formats/entry-writer.ts"
import { timestampFromDate } from "../../src/formats/timestamp.ts"
import { entryMaker, type MadeEntry } from "./made-entries.ts"

const agents = ["ines", "kane", "mira", "otto", "rhea", "sven", "tess", "yara"]

/** Writes a team folder with so many entries: most active, a quarter archived, some in the agents' histories. */
export function writeRepository(root: string, count: number): MadeEntry[] {
  const maker = entryMaker(3)
  const entries = Array.from({ length: count }, () => maker.entry())
  writeEntries(root, entries)
  for (let number = 0; number < 10; number++) {
    const { title, text } = maker.entry()
    const head = `---\nname: skill-${number}\ndescription: ${JSON.stringify(title)}\n---`
    write(root, `skills/skill-${number}/SKILL.md`, `${head}\n\n${text}\n`)
  }
  return entries
}

/** The entries alone, and the team they are of. `inForce`: all of them active decisions, which is all that other memories support. */
export function writeEntries(root: string, entries: readonly MadeEntry[], { inForce = false } = {}): void {
  const files = new Map<string, string[]>()
  for (const [number, entry] of entries.entries()) {
    const place = inForce ? `decisions/part-${number % 20}.md` : placeOf(number)
    const texts = files.get(place) ?? []
    files.set(place, texts)
    texts.push(toSem(entry, inForce ? "decision" : typeOf(number)))
  }
  for (const [path, texts] of files) write(root, path, `# ${path}\n\n${texts.join("\n")}`)
  const rows = agents.map((name) => `| ${name} | Developer |`)
  write(root, "team.md", `# Team\n\n| Name | Role |\n|---|---|\n${rows.join("\n")}\n`)
}

function write(root: string, path: string, text: string): void {
  const file = join(root, ".squad", path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function placeOf(number: number): string {
  if (number % 20 < 12) return number % 20 === 0 ? "decisions.md" : `decisions/part-${number % 20}.md`
  if (number % 20 < 17) return `decisions/archive-${number % 20}.md`
  return `agents/${agents[Math.floor(number / 20) % agents.length]}/history.md`
}

function typeOf(number: number): EntryType {
  return number % 500 === 0 ? "directive" : number % 20 > 16 ? "memory" : "decision"
}

function toSem({ title, text, tags, author, at }: MadeEntry, type: EntryType): string {
  const timestamp = timestampFromDate(new Date(at))
  return writeEntry(
    normalizeEntry({ type, timestamp, author, title, tags, scope: "team", summary: title, details: text }),
  )
}
