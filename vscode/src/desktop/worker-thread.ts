import { Worker } from "node:worker_threads"
import type { StartedWorker } from "../worker-client.ts"

/** A worker of Node has no `self`; the file, which the browser loads too, expects one. */
const bootstrap = `
const { parentPort, workerData } = require("node:worker_threads")
globalThis.self = { postMessage: (message) => parentPort.postMessage(message) }
require(workerData)
parentPort.on("message", (data) => self.onmessage({ data }))
`

/** Runs the built worker in a thread, so that no text is parsed in the extension host. */
export function startThread(path: string): StartedWorker {
  const worker = new Worker(bootstrap, { eval: true, workerData: path })
  worker.unref() // the extension host ends when it wants to
  return {
    post: (message) => worker.postMessage(message),
    listen: (onMessage, onEnd) => void worker.on("message", onMessage).on("error", onEnd),
    stop: () => void worker.terminate(),
  }
}
