import { randomUUID } from "node:crypto"
import { getConnInfo } from "@hono/node-server/conninfo"
import { type Context, type Handler, Hono, type HonoRequest } from "hono"
import { bodyLimit } from "hono/body-limit"
import { deleteCookie, setCookie } from "hono/cookie"
import { secureHeaders } from "hono/secure-headers"
import type { z } from "zod"
import { codeOf } from "../disk/text-files.ts"
import { authenticate, cookieNameOf } from "./authentication.ts"
import { allRoutes } from "./open-api.ts"
import type { RateLimits } from "./rate-limits.ts"
import { answerError, HttpRefusal, problemResponse, refuse, unstorable } from "./refusal.ts"
import { traceOf } from "./server-log.ts"
import type { TeamParts } from "./team-parts.ts"
import type { TeamReply, TeamRoute } from "./team-route.ts"

export type TeamAppParts = TeamParts & {
  limits: RateLimits
  /** Serves the browser app; undefined if it was not built. */
  app: Handler | undefined
}

const mostBytes = 1024 * 1024
const longestMs = 30_000

/** Builds the Hono app from the route table. */
export function makeTeamApp(parts: TeamAppParts): Hono {
  const app = new Hono({ strict: false })
  app.use((context, next) => observe(parts, context, next))
  app.use(securityHeaders(parts.publicUrl.startsWith("https:")))
  for (const route of allRoutes) {
    const limit = bodyLimit({
      maxSize: route.limits?.bytes ?? mostBytes,
      onError: () => answerError(new HttpRefusal(413, { error: "The body is too large.", code: "too-large" })),
    })
    app.on(route.method, route.path, limit, (context) => answer(parts, route, context))
  }
  app.all("/v1/*", () => nothingThere())
  app.all("/api/*", () => nothingThere())
  if (parts.app) app.get("/*", parts.app)
  app.notFound(() => nothingThere())
  app.onError((error, context) => {
    const response = answerError(error)
    if (response.status >= 500) noteTrouble(parts, context, error)
    return response
  })
  return app
}

function nothingThere(): Response {
  return problemResponse(404, { error: "Not found.", code: "not-found" })
}

async function answer(parts: TeamAppParts, route: TeamRoute, context: Context): Promise<Response> {
  context.set("route", route.path)
  const address = addressOf(context, parts.isBehindProxy)
  const caller = await authenticate(parts, route, { request: context.req.raw, address })
  if (caller !== "nobody") context.set("organisation", caller.slug)
  const input = await readRequest(route, context.req)
  const call = {
    // Public routes must not read the caller; typing it as present spares all others a check.
    caller: caller as Exclude<typeof caller, "nobody">,
    ...input,
    request: context.req.raw,
    address,
  }
  const answered = await within(route.limits?.ms ?? longestMs, route.handle(parts, call))
  return answered instanceof Response ? answered : respond(parts, context, answered)
}

function respond({ publicUrl }: TeamParts, context: Context, { status, body, cookie }: TeamReply): Response {
  const name = cookieNameOf(publicUrl)
  const secure = publicUrl.startsWith("https:")
  const options = { httpOnly: true, sameSite: "Strict", path: "/", secure } as const
  if (cookie?.text === "") deleteCookie(context, name, options)
  else if (cookie)
    setCookie(context, name, cookie.text, { ...options, ...(cookie.expires && { expires: cookie.expires }) })
  if (body === null) return context.body(null, status as 204)
  return context.json(body, status as 200)
}

/** Responds after a timeout; the work itself continues. */
async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<never>((_, reject) => {
    const refuseIt = () =>
      reject(new HttpRefusal(503, { error: "The request took too long. Try again.", code: "too-slow" }, 1))
    timer = setTimeout(refuseIt, ms)
  })
  try {
    return await Promise.race([work, tooLong])
  } finally {
    clearTimeout(timer)
  }
}

/** Logs and counts every request by route, never by its content. */
async function observe({ log, metrics }: TeamParts, context: Context, next: () => Promise<void>): Promise<void> {
  const began = performance.now()
  const request = randomUUID()
  context.set("request", request)
  await next()
  context.header("X-Request-Id", request)
  if (!context.res.headers.has("Cache-Control")) context.header("Cache-Control", "no-store")
  const route: string = context.get("route") ?? "other"
  const { method } = context.req
  const { status } = context.res
  const ms = performance.now() - began
  metrics.noteRequest(route, method, status, ms / 1000)
  const organisation: string | undefined = context.get("organisation")
  const level = isProbe(route) ? "debug" : status >= 500 ? "error" : "info"
  log(level, "request", { method, route, status, ms: Math.round(ms), organisation, request })
}

function isProbe(route: string): boolean {
  return ["/healthz", "/readyz", "/metrics"].includes(route)
}

function noteTrouble({ log }: TeamParts, context: Context, error: unknown): void {
  const { method } = context.req
  const said = { method, route: context.get("route") ?? "other", request: context.get("request") }
  log("error", "a request failed", { ...said, ...traceOf(error) })
}

function addressOf(context: Context, isBehindProxy: boolean): string {
  const named = isBehindProxy ? context.req.header("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined
  if (named) return named
  try {
    return getConnInfo(context).remote.address ?? "unknown"
  } catch {
    return "unknown" // called in process, without a connection
  }
}

/** The same headers as the local app, plus HSTS over TLS. */
function securityHeaders(isSecure: boolean) {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      fontSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
    strictTransportSecurity: isSecure ? "max-age=31536000" : false,
    xFrameOptions: "DENY",
  })
}

/** Validates parameters, query and body with the route's schemas. Errors name the field, never its value. */
async function readRequest(
  route: TeamRoute,
  request: HonoRequest,
): Promise<{ params: Record<string, string>; query: unknown; body: unknown }> {
  const input = {
    params: request.param() as Record<string, string>,
    query: route.query && check(route.query, queryOf(new URL(request.url).searchParams)),
    body: route.body && check(route.body, await readJson(request)),
  }
  if (!isStorable(input)) return refuse(400, "invalid", unstorable)
  return input
}

function check(schema: z.ZodType, given: unknown): unknown {
  const read = schema.safeParse(given)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const name = issue?.path.join(".")
  return refuse(400, "invalid", `${name ? `"${name}": ` : ""}${issue?.message ?? "Invalid request"}.`)
}

/** Repeated query parameters become a list. */
function queryOf(parameters: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(parameters.keys())]
  return Object.fromEntries(
    names.map((name) => {
      const values = parameters.getAll(name)
      return [name, values.length === 1 ? (values[0] as string) : values]
    }),
  )
}

async function readJson(request: HonoRequest): Promise<unknown> {
  if (!/^application\/json *(?:;|$)/i.test(request.header("content-type") ?? ""))
    return refuse(415, "not-json", "The body must be application/json.")
  const text = await readText(request)
  try {
    return JSON.parse(text)
  } catch {
    return refuse(400, "not-json", "The body is not JSON.") // no details: the parser's message quotes the body
  }
}

async function readText(request: HonoRequest): Promise<string> {
  try {
    return await request.text()
  } catch (error) {
    if (codeOf(error) !== "ECONNRESET") throw error
    return refuse(400, "incomplete", "The request is incomplete.") // for the log: the client has disconnected
  }
}

/** Whether PostgreSQL can store every string in the value: it accepts neither NUL nor lone surrogates. */
function isStorable(value: unknown): boolean {
  const left = [value] // not recursive: a request may be nested deeper than the stack allows
  while (left.length > 0) {
    const each = left.pop()
    if (typeof each === "string" && (each.includes("\0") || /\p{Surrogate}/u.test(each))) return false
    if (typeof each === "object" && each !== null) for (const inner of Object.values(each)) left.push(inner)
  }
  return true
}
