import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { normalizeEntry } from "../../src/formats/normalize-entry.ts"
import { timestampFromDate } from "../../src/formats/timestamp.ts"
import { writeEntry } from "../../src/formats/write-entry.ts"
import { entryMaker, type MadeEntry } from "./made-entries.ts"

const agents = ["ines", "kane", "mira", "otto", "rhea", "sven", "tess", "yara"]

/** Writes a team folder with so many entries: most in force, a quarter archived, some in the agents' histories. */
export function writeRepository(root: string, count: number): MadeEntry[] {
  const maker = entryMaker(3)
  const entries = Array.from({ length: count }, () => maker.entry())
  const files = new Map<string, string[]>()
  for (const [number, entry] of entries.entries()) {
    const place = placeOf(number)
    files.set(place, [...(files.get(place) ?? []), toSem(entry, number)])
  }
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, ".squad", path)), { recursive: true })
    writeFileSync(join(root, ".squad", path), text)
  }
  for (const [path, texts] of files) write(path, `# ${path}\n\n${texts.join("\n")}`)
  write(
    "team.md",
    `# Team\n\n| Name | Role |\n|---|---|\n${agents.map((name) => `| ${name} | Developer |`).join("\n")}\n`,
  )
  for (let number = 0; number < 10; number++) {
    const { title, text } = maker.entry()
    write(
      `skills/skill-${number}/SKILL.md`,
      `---\nname: skill-${number}\ndescription: ${JSON.stringify(title)}\n---\n\n${text}\n`,
    )
  }
  return entries
}

function placeOf(number: number): string {
  if (number % 20 < 12) return number % 20 === 0 ? "decisions.md" : `decisions/part-${number % 20}.md`
  if (number % 20 < 17) return `decisions/archive-${number % 20}.md`
  return `agents/${agents[Math.floor(number / 20) % agents.length]}/history.md`
}

function toSem({ title, text, tags, author, at }: MadeEntry, number: number): string {
  const type = number % 500 === 0 ? "directive" : number % 20 > 16 ? "memory" : "decision"
  const timestamp = timestampFromDate(new Date(at))
  return writeEntry(
    normalizeEntry({ type, timestamp, author, title, tags, scope: "team", summary: title, details: text }),
  )
}
