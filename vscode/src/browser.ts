import * as vscode from "vscode"
import { type ExtensionApi, start } from "./extension.ts"

/** In the browser the extension host is a worker itself; texts are parsed in a second one. */
export function activate(context: vscode.ExtensionContext): ExtensionApi {
  return start(context, {
    async startWorker() {
      const address = vscode.Uri.joinPath(context.extensionUri, "dist", "worker.js")
      // A worker must come from the page's own origin, which the extension's files may not.
      const source = await (await fetch(address.toString(true))).text()
      const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })))
      return {
        post: (message) => worker.postMessage(message),
        listen(onMessage, onEnd) {
          worker.addEventListener("message", ({ data }) => onMessage(data))
          worker.addEventListener("error", ({ message }) => onEnd(new Error(message)))
        },
        stop: () => worker.terminate(),
      }
    },
    userName: async () => "",
    connect: () => vscode.Disposable.from(...["connect", "setUp", "openApp", "install"].map(sayDesktop)),
  })
}

function sayDesktop(name: string): vscode.Disposable {
  return vscode.commands.registerCommand(`drey.${name}`, () =>
    vscode.window.showInformationMessage(
      vscode.l10n.t("This needs drey on a machine. Open the repository on the desktop or in a remote workspace."),
    ),
  )
}
