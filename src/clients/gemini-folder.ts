import { basename, dirname, join } from "node:path"
import { sha256 } from "../disk/sha256.ts"
import { objectOf, textOf } from "./json-value.ts"
import { readBeginning } from "./read-beginning.ts"
import { readJsonFile } from "./read-json-file.ts"

/**
 * The working folder of a session, from the client's files: `tmp/<project>/.project_root` names it, or `projects.json`
 * lists every folder with its short name. Older versions store only a hash of the folder's path, which is resolved if
 * the folder is listed.
 */
export function geminiFolder(session: string, projectHash: string | undefined): string | undefined {
  const chats = dirname(session)
  if (basename(chats) !== "chats") return undefined // a copy in another place
  const project = dirname(chats)
  const named = textOf(readBeginning(join(project, ".project_root"))?.trim())
  return named ?? listedFolder(join(project, "..", "..", "projects.json"), basename(project), projectHash)
}

function listedFolder(list: string, project: string, projectHash: string | undefined): string | undefined {
  const folders = Object.entries(objectOf(objectOf(readJsonFile(list))?.projects) ?? {})
  const listed =
    folders.find(([, name]) => name === project) ??
    folders.find(([folder]) => [project, projectHash].includes(sha256(folder)))
  return listed?.[0]
}
