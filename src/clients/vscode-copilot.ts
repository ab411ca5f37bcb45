import { basename, join } from "node:path"
import type { Client, Machine } from "./client.ts"
import { editorFolders } from "./editor-folders.ts"
import { findFiles, oldestFirst } from "./find-files.ts"
import { listFolder } from "./list-folder.ts"
import { readVscodeChat } from "./vscode-chat.ts"

/** Copilot Chat in VS Code: each session is a document, or a log of the changes to it. */
export const vscodeCopilot: Client = {
  id: "vscode-copilot",
  name: "VS Code Copilot Chat",
  maturity: "experimental",
  find(machine) {
    const paths = sessionFolders(machine).flatMap((folder) => findFiles(folder, 1, (name) => /\.jsonl?$/.test(name)))
    const logged = new Set(paths.filter((path) => path.endsWith(".jsonl")))
    // A session that was converted to a log leaves its document behind.
    return oldestFirst(paths.filter((path) => !logged.has(`${path}l`))).map((path) => ({
      client: "vscode-copilot",
      path,
    }))
  },
  recognises(path, beginning) {
    if (path.endsWith(".jsonl")) return /^\{"kind":0,"v":\{[\s\S]{0,60000}"requests"/.test(beginning)
    return (
      path.endsWith(".json") &&
      /"(?:requesterUsername|responderUsername)"/.test(beginning) &&
      /"requests"/.test(beginning)
    )
  },
  read: ({ path }, from) => readVscodeChat(path, basename(path).replace(/\.jsonl?$/, ""), from),
}

function sessionFolders(machine: Machine): string[] {
  return editorFolders(machine, ["Code", "Code - Insiders", "VSCodium"]).flatMap((folder) => [
    join(folder, "globalStorage", "emptyWindowChatSessions"),
    ...listFolder(join(folder, "workspaceStorage")).map((name) =>
      join(folder, "workspaceStorage", name, "chatSessions"),
    ),
  ])
}
