import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { objectOf, textOf } from "./json-value.ts"
import { readJsonFile } from "./read-json-file.ts"

/**
 * The folder that an editor's workspace is about, as its `workspace.json` says; none for several folders, or one on
 * another machine.
 */
export function workspaceFolder(workspace: string): string | undefined {
  const address = textOf(objectOf(readJsonFile(join(workspace, "workspace.json")))?.folder)
  if (address === undefined || !address.startsWith("file:///")) return undefined
  try {
    return fileURLToPath(address)
  } catch {
    return undefined // an address that this machine cannot have
  }
}
