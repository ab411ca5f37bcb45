import type { z } from "zod"
import { problem } from "../api.ts"

declare const DREY_VERSION: string

/** The server's address and the caller's token; `signal` aborts requests. */
export type Server = { server: string; token: string; signal?: AbortSignal | undefined }

export type Question = {
  method: "GET" | "POST" | "DELETE"
  path: string
  query?: URLSearchParams
  body?: unknown
  /** Idempotency key: a change sent twice is made once. */
  key?: string
}

export type Answer<Value> = { kind: "answered"; value: Value } | ServerTrouble

/** Why a request failed. None of these contains anything that was sent. */
export type ServerTrouble =
  | { kind: "unreachable"; reason: string }
  /** `retryAfterMs`: from the server's Retry-After header. */
  | { kind: "refused"; status: number; code: string; reason: string; retryAfterMs?: number }
  /** The address answers, but not as a Drey team server of this version. */
  | { kind: "not understood"; reason: string }

const patienceMs = 15_000
/** A page of changes is below a megabyte. */
const mostBytes = 16 * 1024 * 1024

/** Sends one request. The token is sent only in a header and only to this server: redirects are not followed. */
export async function askServer<Value>(
  { server, token, signal }: Server,
  { method, path, query, body, key }: Question,
  schema: z.ZodType<Value>,
): Promise<Answer<Value>> {
  const url = `${server}${path}${query === undefined || query.size === 0 ? "" : `?${query}`}`
  try {
    const response = await fetch(url, {
      method,
      redirect: "manual",
      signal: AbortSignal.any([AbortSignal.timeout(patienceMs), ...(signal ? [signal] : [])]),
      headers: {
        authorization: `Bearer ${token}`,
        accept: "application/json",
        "user-agent": `drey/${typeof DREY_VERSION === "string" ? DREY_VERSION : "0.0.0"}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { "idempotency-key": key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return await readAnswer(response, schema)
  } catch (error) {
    return { kind: "unreachable", reason: networkWords(error) }
  }
}

async function readAnswer<Value>(response: Response, schema: z.ZodType<Value>): Promise<Answer<Value>> {
  const { status } = response
  if (response.type === "opaqueredirect" || (status >= 300 && status < 400)) {
    await response.body?.cancel()
    return { kind: "not understood", reason: "it redirects to another address, and tokens are not sent there" }
  }
  const text = await readUpTo(response, mostBytes)
  if (text === undefined) return { kind: "not understood", reason: "its response is too large" }
  const value = parseIfJson(text)
  if (!response.ok) return refusalOf(response, value)
  const read = schema.safeParse(value)
  if (read.success) return { kind: "answered", value: read.data }
  const place = read.error.issues[0]?.path.join(".") ?? ""
  return { kind: "not understood", reason: `its response has an unexpected format${place && `: ${place}`}` }
}

function refusalOf({ status, headers }: Response, value: unknown): ServerTrouble {
  const told = problem.safeParse(value)
  if (!told.success && status < 500 && ![401, 403, 413, 429].includes(status))
    return { kind: "not understood", reason: `it responds with status ${status} and no reason` }
  const { code, error } = told.data ?? { code: "", error: `status ${status}` }
  const retryAfterMs = readRetryAfter(headers.get("retry-after"))
  return { kind: "refused", status, code, reason: error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

/** Seconds, or a date. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

async function readUpTo(response: Response, most: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > most) return undefined // leaving the loop closes the connection
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

function parseIfJson(text: string): unknown {
  try {
    return text === "" ? null : JSON.parse(text)
  } catch {
    return undefined // the schema check reports it
  }
}

/** Describes a network error without the address, which the caller already shows. */
function networkWords(error: unknown): string {
  if (!(error instanceof Error)) return "the connection failed"
  if (error.name === "TimeoutError") return `no response within ${patienceMs / 1000} s`
  const code = (error.cause as { code?: unknown } | undefined)?.code
  const words: Record<string, string> = {
    ECONNREFUSED: "connection refused",
    ENOTFOUND: "unknown host name",
    EAI_AGAIN: "the host name cannot be resolved",
    ECONNRESET: "the connection was closed",
    UND_ERR_SOCKET: "the connection was closed",
    ETIMEDOUT: "the connection timed out",
  }
  return typeof code === "string" ? (words[code] ?? `the connection failed (${code})`) : "the connection failed"
}
