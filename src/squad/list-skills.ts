import { existsSync } from "node:fs"
import { join } from "node:path"
import { namesIn } from "../disk/list-folder.ts"
import { readTextFile } from "../disk/read-text-file.ts"

/** The skill folders, in order of precedence. */
export const skillFolders = [".squad/skills", ".copilot/skills", ".github/skills", ".ai-team/skills"] as const

export type SkillFile = { name: string; path: string; text: string }

/** The skills of a repository; a skill with the same name in an earlier folder takes precedence. */
export function listSkills(root: string): SkillFile[] {
  const found = new Map<string, SkillFile>()
  for (const folder of skillFolders) {
    const absolute = join(root, folder)
    for (const name of namesIn(absolute)) {
      const file = join(absolute, name, "SKILL.md")
      if (found.has(name) || !existsSync(file)) continue
      found.set(name, { name, path: `${folder}/${name}/SKILL.md`, text: readTextFile(file).text })
    }
  }
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}
