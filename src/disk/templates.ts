import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { readSkill } from "../formats/skill.ts"

/** A file that Drey installs in a team folder; only skills have a version. */
export type Template = { path: string; text: string; version: string | undefined }

/** The skills and entry templates of this package. */
export function readTemplates(): Template[] {
  const folder = templatesFolder()
  const skills = readdirSync(join(folder, "skills"))
    .sort()
    .map((name): Template => {
      const text = readFileSync(join(folder, "skills", name, "SKILL.md"), "utf8")
      return { path: `skills/${name}/SKILL.md`, text, version: readSkill(text, name).version }
    })
  const entries = readdirSync(join(folder, "entries"))
    .sort()
    .map((name): Template => {
      const text = readFileSync(join(folder, "entries", name), "utf8")
      return { path: `templates/entries/${name}`, text, version: undefined }
    })
  return [...skills, ...entries]
}

/** Built files and sources are at different depths, so the nearest ancestor folder with the templates is used. */
function templatesFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const templates = join(folder, "templates")
    if (existsSync(join(templates, "skills", "drey-memory-format", "SKILL.md"))) return templates
    if (dirname(folder) === folder) throw new Error("The package's templates folder is missing.")
  }
}

/** Negative if `one` is older than `other`, 0 if equal, positive if newer. A missing version is the oldest. */
export function compareVersions(one: string | undefined, other: string | undefined): number {
  const left = numbersOf(one)
  const right = numbersOf(other)
  for (let place = 0; place < Math.max(left.length, right.length); place++) {
    const difference = (left[place] ?? 0) - (right[place] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function numbersOf(version: string | undefined): number[] {
  return [...(version ?? "").matchAll(/\d+/g)].map(Number)
}
