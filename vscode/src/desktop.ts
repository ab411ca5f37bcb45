import { execFile } from "node:child_process"
import * as vscode from "vscode"
import { connectDrey } from "./desktop/connection.ts"
import { startThread } from "./desktop/worker-thread.ts"
import { type ExtensionApi, start } from "./extension.ts"

/** On a machine, also a remote one: texts are parsed in a thread, and all else is asked of the installed `drey`. */
export function activate(context: vscode.ExtensionContext): ExtensionApi {
  return start(context, {
    startWorker: async () => startThread(vscode.Uri.joinPath(context.extensionUri, "dist", "worker.js").fsPath),
    userName: (folder) => gitUser(folder?.uri.fsPath),
    connect: connectDrey,
  })
}

function gitUser(folder: string | undefined): Promise<string> {
  if (folder === undefined || !vscode.workspace.isTrusted) return Promise.resolve("")
  return new Promise((resolve) =>
    execFile(
      "git",
      ["config", "user.name"],
      { cwd: folder, windowsHide: true },
      (error, stdout) => resolve(error ? "" : stdout.trim()), // no git, or no name: the setting or "unknown" is used
    ),
  )
}
