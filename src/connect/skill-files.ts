import { existsSync } from "node:fs"
import { join } from "node:path"
import { readTextFile } from "../disk/read-text-file.ts"
import { readTemplates } from "../squad/init/read-templates.ts"
import type { Chosen, Wanted } from "./wanted.ts"

export type Skill = { name: string; text: string }

/** The skills that come with Drey, in the team's version: a changed skill is copied as changed. */
export function readSkills(teamFolder: string | undefined): Skill[] {
  return readTemplates().flatMap(({ path, text }) => {
    const name = /^skills\/([^/]+)\/SKILL\.md$/.exec(path)?.[1]
    if (name === undefined) return []
    const own = teamFolder === undefined ? undefined : join(teamFolder, path)
    return [{ name, text: own !== undefined && existsSync(own) ? readTextFile(own).text : text }]
  })
}

/**
 * Copies to where clients look for skills. A client that reads several folders shares one that another needs anyway.
 */
export function wantSkills(chosen: readonly Chosen[], skills: readonly Skill[]): Wanted[] {
  const used = new Set<string>()
  return chosen
    .map(({ wiring, place, root }) => {
      // A client without project settings keeps them in the user's, but they still belong to this repository.
      const folders = wiring.skillFolders({ ...place, scope: root === null ? "user" : "project" })
      return { client: wiring.id, root, folders }
    })
    .sort((one, other) => one.folders.length - other.folders.length)
    .flatMap(({ client, root, folders }) => {
      const folder = folders.find((each) => used.has(each)) ?? folders[0]
      if (folder === undefined) return []
      used.add(folder)
      return skills.map(({ name, text }) => skillFile({ client, root }, join(folder, name, "SKILL.md"), text))
    })
}

function skillFile(use: Pick<Wanted, "client" | "root">, path: string, text: string): Wanted {
  return { ...use, path, purpose: "skill", pieces: [{ format: "own", text }] }
}
