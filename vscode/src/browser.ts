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
        listen: (onMessage) => worker.addEventListener("message", ({ data }) => onMessage(data)),
        stop: () => worker.terminate(),
      }
    },
    userName: async () => "",
  })
}
