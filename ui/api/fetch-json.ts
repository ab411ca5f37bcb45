import type { AppProblem, Conflict } from "../../src/recall/browse/app-api.ts"
import { keyHeaders } from "./key.ts"

/** The server's answer when it is not what was asked for; its message is for the person. */
export class ApiError extends Error {
  readonly status: number
  /** For programs; never changes. */
  readonly code: string | undefined
  constructor(message: string, status: number, { code, ...options }: ErrorOptions & { code?: string } = {}) {
    super(message, options)
    this.status = status
    this.code = code
  }
}

/** A team's server does not know who asks: they have to sign in first. */
export function isSignedOut(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "signed-out"
}

/** The local app's server does not know this browser: it needs the link. */
export function needsLink(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401 && error.code === undefined
}

/** It was changed meanwhile; `current` is the stored version. */
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
  return sendJson("POST", path, body)
}

export type Method = "POST" | "PUT" | "PATCH" | "DELETE"

export async function sendJson<Answer>(method: Method, path: string, body: object): Promise<Answer> {
  const headers = { "content-type": "application/json" }
  return readAnswer(await reach(path, { method, headers, body: JSON.stringify(body) }))
}

/** The server's answer of any status; an `ApiError` of status 0 where no server answers. */
export async function reach(path: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
  try {
    return await fetch(path, { ...init, headers: { ...init.headers, ...keyHeaders() } })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ApiError("Drey does not respond. Check that `drey ui`, or your team's server, is still running.", 0)
  }
}

async function readAnswer<Answer>(response: Response): Promise<Answer> {
  if (response.status === 204) return null as Answer // there is nothing to say
  if (response.ok) return response.json() as Promise<Answer>
  const body = await response.json().catch(() => ({ error: response.statusText || `Status ${response.status}` }))
  if (response.status === 409) throw new ConflictError(body as Conflict)
  const { error, code } = body as AppProblem
  if (response.status === 401 && code === undefined)
    throw new ApiError("This link is no longer valid. Run `drey ui` for a new one.", 401)
  throw new ApiError(error, response.status, code === undefined ? {} : { code })
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
