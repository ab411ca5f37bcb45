import type { Conflict, Problem } from "../../src/web/api.ts"

/** The server's answer when it is not what was asked for; its message is for the person. */
export class ApiError extends Error {
  readonly status: number
  constructor(message: string, status: number, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** Another has changed it first; `current` is what stands there now. */
export class ConflictError extends ApiError {
  readonly current: Conflict["current"]
  constructor({ error, current }: Conflict) {
    super(error, 409)
    this.current = current
  }
}

export async function getJson<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return readAnswer(await reach(path, signal ? { signal } : {}))
}

export async function postJson<Answer>(path: string, body: object): Promise<Answer> {
  const headers = { "content-type": "application/json" }
  return readAnswer(await reach(path, { method: "POST", headers, body: JSON.stringify(body) }))
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init)
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ApiError("Drey does not answer. Is `drey ui` still running?", 0)
  }
}

async function readAnswer<Answer>(response: Response): Promise<Answer> {
  if (response.ok) return response.json() as Promise<Answer>
  const body = await response.json().catch(() => ({ error: response.statusText || `Status ${response.status}` }))
  if (response.status === 409) throw new ConflictError(body as Conflict)
  if (response.status === 401) throw new ApiError("This link is no longer valid. Run `drey ui` for a new one.", 401)
  throw new ApiError((body as Problem).error, response.status)
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
