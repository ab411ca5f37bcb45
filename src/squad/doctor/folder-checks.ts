import { existsSync } from "node:fs"
import { join, sep } from "node:path"
import { namesIn } from "../../disk/list-folder.ts"
import { readTextFile } from "../../disk/read-text-file.ts"
import { DreyError } from "../../errors.ts"
import type { DiagnosticCode } from "../../formats/diagnostics.ts"
import { readSkill } from "../../formats/skill.ts"
import { skillFolders } from "../list-skills.ts"
import { type Examined, fail, info, type NamedCheck, nameSome, pass, quantity, type Verdict, warn } from "./check.ts"

/** Are the files there, and can they be read? */
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
      "Both .squad and the older .ai-team are there: Drey reads both and writes to .squad only. Move what you need and remove .ai-team.",
    )
  const old = store.folders.filter(({ path }) => existsSync(join(path, ".drey", "changes")))
  if (old.length > 0)
    return info(`${old[0]?.name}/.drey/changes is of an earlier version of Drey and no longer used: it can be deleted.`)
  return pass(`The team's memory is in ${names[0]}.`)
}

function examineDecisionsFile({ store }: Examined): Verdict {
  const folder = store.folders[0]
  if (folder && existsSync(join(folder.path, "decisions.md"))) return pass(`${folder.name}/decisions.md is there.`)
  return fail(`${folder?.name}/decisions.md is missing. "drey init" creates it.`)
}

function examineReadable({ store, reading, unreadable }: Examined): Verdict {
  const messages = new Map(
    [...reading.unreadable, ...unreadable].map(({ path, message }) => [
      path,
      message.replace(`${store.root}${sep}`, ""),
    ]),
  )
  if (messages.size === 0) return pass("Every file can be read.")
  const found = `${quantity(messages.size, "file")} cannot be read, so nobody is handed what is in there`
  return fail(`${found}: ${nameSome([...messages.values()])}. Save them as UTF-8 text, or move them elsewhere.`)
}

const conflictCodes = new Set<DiagnosticCode | string>(["conflict-marker", "merge-conflict-kept"])

function examineConflicts({ reading }: Examined): Verdict {
  const places = reading.diagnostics
    .filter(({ diagnostic }) => conflictCodes.has(diagnostic.code))
    .map(({ path, diagnostic }) => `${path}:${diagnostic.line}`)
  if (places.length === 0) return pass("No file has an open merge conflict.")
  return fail(`${quantity(places.length, "merge conflict")} to resolve by hand: ${nameSome(places)}.`)
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
  if (broken.length > 0) return warn(`${quantity(broken.length, "skill")} to mend: ${nameSome(broken)}`)
  if (shadowed.length > 0)
    return info(`Skills that no agent gets, because another has their name: ${nameSome(shadowed)}.`)
  return pass(seen.size === 0 ? "There are no skills." : `${quantity(seen.size, "skill")} can be read.`)
}

function problemOf(path: string, name: string): string | undefined {
  try {
    return readSkill(readTextFile(path).text, name).diagnostics.find(({ severity }) => severity === "error")?.message
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return error.message
  }
}
