import { z } from "zod"
import { DreyError, exitCode } from "../../errors.ts"
import {
  changes,
  episodesAnswer,
  me,
  problem,
  projects,
  type SharedMemory,
  teamMemory,
  teams,
  type UploadedEpisode,
  type UseEvent,
} from "../api.ts"

export type TeamServerRequests = ReturnType<typeof teamServer>

/** Changes per request. */
const pageSize = 500

/** The requests that a client sends to its team server. */
export function teamServer(server: Server) {
  return {
    me: () => askServer(server, { method: "GET", path: "/v1/me" }, me),
    teams: () => askServer(server, { method: "GET", path: "/v1/teams" }, teams),
    projects: () => askServer(server, { method: "GET", path: "/v1/projects" }, projects),
    changes: (since: number, projects: readonly string[]) =>
      askServer(server, { method: "GET", path: "/v1/changes", query: changesQuery(since, projects) }, changes),
    share: (memory: SharedMemory, key: string) =>
      askServer(server, { method: "POST", path: "/v1/memories", body: memory, key }, teamMemory),
    unshare: (id: string, reason: string, key: string) =>
      askServer(
        server,
        { method: "DELETE", path: `/v1/memories/${encodeURIComponent(id)}`, body: { reason }, key },
        z.unknown(),
      ),
    use: (events: readonly UseEvent[]) =>
      askServer(server, { method: "POST", path: "/v1/uses", body: { events } }, z.unknown()),
    episodes: (episodes: readonly UploadedEpisode[]) =>
      askServer(server, { method: "POST", path: "/v1/episodes", body: { episodes } }, episodesAnswer),
  }
}

function changesQuery(since: number, projects: readonly string[]): URLSearchParams {
  const query = new URLSearchParams({ since: String(since), limit: String(pageSize) })
  for (const project of projects) query.append("project", project)
  return query
}

declare const DREY_VERSION: string

/** The server's address and the caller's token; `signal` aborts requests. */
type Server = { server: string; token: string; signal?: AbortSignal | undefined }

export type ServerRequest = {
  method: "GET" | "POST" | "DELETE"
  path: string
  query?: URLSearchParams
  body?: unknown
  /** Idempotency key: a change sent twice is made once. */
  key?: string
}

export type ServerAnswer<Value> = { kind: "answered"; value: Value } | ServerFailure

/** Why a request failed. None of these contains anything that was sent. */
export type ServerFailure =
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
  { method, path, query, body, key }: ServerRequest,
  schema: z.ZodType<Value>,
): Promise<ServerAnswer<Value>> {
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

async function readAnswer<Value>(response: Response, schema: z.ZodType<Value>): Promise<ServerAnswer<Value>> {
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

function refusalOf({ status, headers }: Response, value: unknown): ServerFailure {
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

/** A failed request as a message for the user. `isOver`: retrying will not help. */
export type SyncProblem = { message: string; hint?: string; isOver: boolean }

export function problemOf(trouble: ServerFailure, server: string): SyncProblem {
  if (trouble.kind === "unreachable")
    return { message: `${server} cannot be reached: ${trouble.reason}`, isOver: false }
  if (trouble.kind === "not understood")
    return {
      message: `${server} does not respond like a Drey team server of this version: ${trouble.reason}`,
      hint: "Check the address, and that client and server have the same version.",
      isOver: true,
    }
  const { status, reason, retryAfterMs } = trouble
  if (status === 401)
    return {
      message: `${server} rejected the token: it has expired or was revoked`,
      hint: `Sign in again: drey team login ${server}`,
      isOver: true,
    }
  if (status === 429) {
    const seconds = Math.ceil((retryAfterMs ?? 0) / 1000)
    return { message: `${server} asks to wait${seconds > 0 ? ` for ${seconds} s` : ""}: ${reason}`, isOver: false }
  }
  if (status >= 500) return { message: `${server} failed: ${reason}`, isOver: false }
  return { message: `${server} refused the request: ${reason}`, isOver: true }
}

export function errorOf(trouble: ServerFailure, server: string): DreyError {
  const { message, hint } = problemOf(trouble, server)
  return new DreyError(message, { exitCode: exitCode.no, ...(hint === undefined ? {} : { hint }) })
}

/** Normalizes a team server's address: no trailing slash, no credentials. */
export function serverAddress(text: string, options: { insecure: boolean }): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !["http:", "https:"].includes(url.protocol))
    throw new DreyError("Invalid server address", { hint: "Write it as https://drey.example.com" })
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new DreyError("The server address must not contain a user name, token or query", {
      hint: `Use ${url.protocol}//${url.host}; the command asks for the token.`,
    })
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !options.insecure)
    throw new DreyError(`${url.origin} is not encrypted: the token could be read in transit`, {
      hint: "Use https://, or allow it with --insecure.",
    })
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host)
}
