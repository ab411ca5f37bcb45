import { join } from "node:path"
import type { Machine } from "./client.ts"

/** The `User` folder of each editor of the VS Code family. */
export function editorFolders(machine: Machine, editors: string[]): string[] {
  const root = applicationData(machine)
  return editors.map((editor) => join(root, editor, "User"))
}

function applicationData({ home, environment, platform }: Machine): string {
  if (platform === "darwin") return join(home, "Library", "Application Support")
  if (platform === "win32") return environment.APPDATA || join(home, "AppData", "Roaming")
  return environment.XDG_CONFIG_HOME || join(home, ".config")
}
