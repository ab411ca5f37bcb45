import { readSkill } from "../../formats/skill.ts"
import type { Draft } from "../draft.ts"
import type { Store } from "../find-store.ts"
import { compareVersions } from "../init/compare-versions.ts"
import { readRoster } from "../list-files.ts"
import { listSkills } from "../list-skills.ts"
import type { BundleFiles } from "./bundle.ts"
import { clearFile, type Refusal } from "./clear-file.ts"

/** The result for one imported skill; `kept` means that the existing one is the same or newer. */
export type SkillImport = { name: string; change: "added" | "updated" | "kept" }

/** Plans the import of skills: new ones are added, and of two with the same name the newer version wins. */
export function planSkills(
  store: Store,
  draft: Draft,
  files: BundleFiles,
  replaces: boolean,
  plan: { skills: SkillImport[]; refused: Refusal[] },
): void {
  const present = new Map(replaces ? [] : listSkills(store.root).map((skill) => [skill.name, skill.text]))
  for (const [path, text] of files) {
    const name = /^skills\/([^/]+)\/SKILL\.md$/.exec(path)?.[1]
    if (name === undefined) continue
    const { pieces, refused } = clearFile(path, text, readRoster(store))
    plan.refused.push(...refused)
    const [piece] = pieces
    if (!piece) continue
    const known = present.get(name)
    if (known !== undefined && !isNewer(text, known, name)) {
      plan.skills.push({ name, change: "kept" })
      continue
    }
    plan.skills.push({ name, change: known === undefined ? "added" : "updated" })
    draft.put(path, piece.text)
  }
}

function isNewer(text: string, than: string, name: string): boolean {
  return compareVersions(readSkill(text, name).version, readSkill(than, name).version) > 0
}
