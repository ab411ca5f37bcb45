import type { z } from "zod"
import { problem } from "../api.ts"

declare const DREY_VERSION: string

/** Where to ask, and who asks, who may have to end before there is an answer. */
export type Server = { server: string; token: string; signal?: AbortSignal | undefined }

export type Question = {
  method: "GET" | "POST" | "DELETE"
  path: string
  query?: URLSearchParams
  body?: unknown
  /** Names a change for ever: made twice, it is made once. */
  key?: string
}

export type Answer<Value> = { kind: "answered"; value: Value } | ServerTrouble

/** Why there is no answer. None of these says anything of what was sent. */
export type ServerTrouble =
  | { kind: "unreachable"; reason: string }
  /** `retryAfterMs`: the server said how long to wait. */
  | { kind: "refused"; status: number; code: string; reason: string; retryAfterMs?: number }
  /** Something answers there that is no Drey team server, or one of another version. */
  | { kind: "not understood"; reason: string }

const patienceMs = 15_000
/** A page of changes is below a megabyte. */
const mostBytes = 16 * 1024 * 1024

/** Puts one question to the team server. The token is in a header alone, and goes nowhere but to this server: redirects are not followed. */
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
    return { kind: "not understood", reason: "it sends to another address, and a token is not taken there" }
  }
  const text = await readUpTo(response, mostBytes)
  if (text === undefined) return { kind: "not understood", reason: "its answer is too long" }
  const value = parseIfJson(text)
  if (!response.ok) return refusalOf(response, value)
  const read = schema.safeParse(value)
  if (read.success) return { kind: "answered", value: read.data }
  const place = read.error.issues[0]?.path.join(".") ?? ""
  return { kind: "not understood", reason: `its answer is not in the form that is known here${place && `: ${place}`}` }
}

function refusalOf({ status, headers }: Response, value: unknown): ServerTrouble {
  const told = problem.safeParse(value)
  if (!told.success && status < 500 && ![401, 403, 413, 429].includes(status))
    return { kind: "not understood", reason: `it answers ${status} and does not say why` }
  const { code, error } = told.data ?? { code: "", error: `it answers ${status}` }
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
    if (bytes > most) return undefined // leaving the loop ends the connection
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

function parseIfJson(text: string): unknown {
  try {
    return text === "" ? null : JSON.parse(text)
  } catch {
    return undefined // the schema says that it is not what was asked for
  }
}

/** What the network says, without the address: that is known, and may be long. */
function networkWords(error: unknown): string {
  if (!(error instanceof Error)) return "the connection failed"
  if (error.name === "TimeoutError") return `there was no answer within ${patienceMs / 1000} s`
  const code = (error.cause as { code?: unknown } | undefined)?.code
  const words: Record<string, string> = {
    ECONNREFUSED: "nobody listens there",
    ENOTFOUND: "the name of the server is not known",
    EAI_AGAIN: "the name of the server cannot be looked up",
    ECONNRESET: "the connection was cut",
    UND_ERR_SOCKET: "the connection was cut",
    ETIMEDOUT: "the connection timed out",
  }
  return typeof code === "string" ? (words[code] ?? `the connection failed (${code})`) : "the connection failed"
}
