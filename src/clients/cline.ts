import { join } from "node:path"
import type { Client, Machine } from "./client.ts"
import { readClineSession } from "./cline-session.ts"
import { readClineTask } from "./cline-task.ts"
import { editorFolders } from "./editor-folders.ts"
import { oldestFirst } from "./find-files.ts"
import { listFolder } from "./list-folder.ts"

/** Cline, on the command line (sessions) and in editors (tasks). Both are documents that it rewrites. */
export const cline: Client = {
  id: "cline",
  name: "Cline",
  maturity: "experimental",
  find(machine) {
    const data = machine.environment.CLINE_DATA_DIR || join(machine.home, ".cline", "data")
    const sessions = listFolder(join(data, "sessions")).flatMap((id) =>
      named(join(data, "sessions", id), `${id}.messages.json`),
    )
    const tasks = [join(data, "tasks"), ...editorTasks(machine)].flatMap((folder) =>
      listFolder(folder).flatMap((id) => named(join(folder, id), taskFile)),
    )
    return oldestFirst([...tasks, ...sessions]).map((path) => ({ client: "cline", path }))
  },
  recognises(path, beginning) {
    if (path.endsWith(taskFile)) return /^\s{0,20}\[\s{0,20}\{[\s\S]{0,2000}"role"/.test(beginning)
    return path.endsWith(".messages.json") && /"(?:sessionId|messages)"/.test(beginning)
  },
  read({ path }, from) {
    return path.endsWith(taskFile) ? readClineTask(path, from) : readClineSession(path, from)
  },
}

const taskFile = "api_conversation_history.json"

function editorTasks(machine: Machine): string[] {
  const editors = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"]
  const remote = join(machine.home, ".vscode-server", "data", "User")
  return [...editorFolders(machine, editors), remote].map((folder) =>
    join(folder, "globalStorage", "saoudrizwan.claude-dev", "tasks"),
  )
}

function named(folder: string, name: string): string[] {
  return listFolder(folder).includes(name) ? [join(folder, name)] : []
}
