import { existsSync } from "node:fs"
import { join, sep } from "node:path"
import { namesIn } from "../../disk/list-folder.ts"
import { readTextFile } from "../../disk/read-text-file.ts"
import { DreyError } from "../../errors.ts"
import type { DiagnosticCode } from "../../formats/diagnostics.ts"
import { readSkill } from "../../formats/skill.ts"
import { skillFolders } from "../list-skills.ts"
import { type Examined, fail, info, type NamedCheck, nameSome, pass, quantity, type Verdict, warn } from "./check.ts"

/** Check that the files exist and can be read. */
export const folderChecks: NamedCheck[] = [
  { name: "team folder", examine: examineFolder },
  { name: "decisions file", examine: examineDecisionsFile },
  { name: "readable files", examine: examineReadable },
  { name: "merge conflicts", examine: examineConflicts },
  { name: "skills", examine: examineSkills },
]

function examineFolder({ store }: Examined): Verdict {
  const names = store.folders.map(({ name }) => name)
  if (names.length > 1)
    return warn(
      "Both .squad and the older .ai-team exist; Drey reads both and writes to .squad only. Move what you need and delete .ai-team.",
    )
  const old = store.folders.filter(({ path }) => existsSync(join(path, ".drey", "changes")))
  if (old.length > 0)
    return info(
      `${old[0]?.name}/.drey/changes was written by an earlier version of Drey and is no longer used. Delete it.`,
    )
  return pass(`The team's memory is in ${names[0]}.`)
}

function examineDecisionsFile({ store }: Examined): Verdict {
  const folder = store.folders[0]
  if (folder && existsSync(join(folder.path, "decisions.md"))) return pass(`${folder.name}/decisions.md exists.`)
  return fail(`${folder?.name}/decisions.md is missing. Run "drey init" to create it.`)
}

function examineReadable({ store, reading, unreadable }: Examined): Verdict {
  const messages = new Map(
    [...reading.unreadable, ...unreadable].map(({ path, message }) => [
      path,
      message.replace(`${store.root}${sep}`, ""),
    ]),
  )
  if (messages.size === 0) return pass("All files can be read.")
  const found = `${quantity(messages.size, "file")} cannot be read, so agents never get their contents`
  return fail(`${found}: ${nameSome([...messages.values()])}. Save them as UTF-8 text, or move them elsewhere.`)
}

const conflictCodes = new Set<DiagnosticCode | string>(["conflict-marker", "merge-conflict-kept"])

function examineConflicts({ reading }: Examined): Verdict {
  const places = reading.diagnostics
    .filter(({ diagnostic }) => conflictCodes.has(diagnostic.code))
    .map(({ path, diagnostic }) => `${path}:${diagnostic.line}`)
  if (places.length === 0) return pass("No unresolved merge conflicts.")
  return fail(`${quantity(places.length, "merge conflict")} unresolved: ${nameSome(places)}. Resolve by hand.`)
}

function examineSkills({ store }: Examined): Verdict {
  const seen = new Map<string, string>()
  const shadowed: string[] = []
  const broken: string[] = []
  for (const folder of skillFolders) {
    const hasSkill = (name: string) => existsSync(join(store.root, folder, name, "SKILL.md"))
    for (const name of namesIn(join(store.root, folder)).filter(hasSkill)) {
      const path = `${folder}/${name}/SKILL.md`
      if (seen.has(name)) shadowed.push(`${path} (by ${seen.get(name)})`)
      else seen.set(name, path)
      const problem = problemOf(join(store.root, path), name)
      if (problem) broken.push(`${path}: ${problem}`)
    }
  }
  if (broken.length > 0) return warn(`${quantity(broken.length, "skill")} to fix: ${nameSome(broken)}`)
  if (shadowed.length > 0) return info(`Skills hidden by another skill of the same name: ${nameSome(shadowed)}.`)
  return pass(seen.size === 0 ? "No skills." : `${quantity(seen.size, "skill")} can be read.`)
}

function problemOf(path: string, name: string): string | undefined {
  try {
    return readSkill(readTextFile(path).text, name).diagnostics.find(({ severity }) => severity === "error")?.message
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return error.message
  }
}
