import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { objectOf, textOf } from "./json-value.ts"
import { readJsonFile } from "./read-json-file.ts"

/**
 * The folder of an editor's workspace, from its `workspace.json`; undefined for several folders, or one on another
 * machine.
 */
export function workspaceFolder(workspace: string): string | undefined {
  const address = textOf(objectOf(readJsonFile(join(workspace, "workspace.json")))?.folder)
  if (address === undefined || !address.startsWith("file:///")) return undefined
  try {
    return fileURLToPath(address)
  } catch {
    return undefined // not a valid path on this machine
  }
}
