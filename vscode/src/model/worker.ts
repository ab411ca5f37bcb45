import { workerMethods } from "./worker-methods.ts"

/** One call of the extension, and its answer. */
type Call = { id: number; method: keyof ReturnType<typeof workerMethods>; args: unknown[] }

const methods = workerMethods(() => new Date())

// A web worker in the browser; on the desktop a worker thread, in which the extension sets `self` before it loads this file.
self.onmessage = ({ data: { id, method, args } }: MessageEvent<Call>) => {
  try {
    const call = methods[method] as (...values: unknown[]) => unknown
    self.postMessage({ id, result: call(...args) })
  } catch (error) {
    self.postMessage({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
}
