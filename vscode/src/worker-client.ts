import type { WorkerMethods } from "./model/worker-methods.ts"

/** A worker that was started: takes calls by `post` and hands its answers to the listener. */
export type StartedWorker = {
  post(message: object): void
  listen(onMessage: (message: WorkerAnswer) => void, onEnd: (error: Error) => void): void
  stop(): void
}
export type WorkerAnswer = { id: number; result?: unknown; error?: string }

/** Calls the methods of the worker in which all texts are parsed, so that the extension host never waits for a large file. */
export type WorkerClient = {
  call<Name extends keyof WorkerMethods>(
    name: Name,
    ...args: Parameters<WorkerMethods[Name]>
  ): Promise<Awaited<ReturnType<WorkerMethods[Name]>>>
  stop(): void
}

export function workerClient(start: () => Promise<StartedWorker>): WorkerClient {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let last = 0
  let started: Promise<StartedWorker> | undefined
  const open = async () => {
    const worker = await start()
    const onMessage = ({ id, result, error }: WorkerAnswer) => {
      const call = waiting.get(id)
      waiting.delete(id)
      if (error === undefined) call?.resolve(result)
      else call?.reject(new Error(error))
    }
    worker.listen(onMessage, (error) => {
      for (const { reject } of waiting.values()) reject(error) // nobody waits for an answer that never comes
      waiting.clear()
    })
    return worker
  }
  return {
    call(method, ...args) {
      started ??= open()
      const id = ++last
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve: (value) => resolve(value as never), reject })
        started?.then((worker) => worker.post({ id, method, args })).catch(reject)
      })
    },
    stop() {
      void started?.then((worker) => worker.stop())
    },
  }
}
