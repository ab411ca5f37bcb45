import { type Context, Hono } from "hono"
import { bodyLimit } from "hono/body-limit"
import { secureHeaders } from "hono/secure-headers"
import { z } from "zod"
import { DreyError, exitCode } from "../errors.ts"
import { scrubText } from "../governance/redaction.ts"
import type { AppProblem, LoginAnswer } from "../recall/browse/app-api.ts"
import { serveApp } from "./app-files.ts"
import { conversationRoutes } from "./conversation-routes.ts"
import { healthRoutes } from "./health-routes.ts"
import { inboxRoutes } from "./inbox-routes.ts"
import { changeRoutes, itemRoutes } from "./item-routes.ts"
import { guardRequest, keyHeader, type OneTimeLogin } from "./one-time-login.ts"
import { aboutRoutes, agentRoutes, contextRoutes, overviewRoutes } from "./overview-routes.ts"
import type { Route, WebParts } from "./route.ts"
import { sessionRoutes } from "./session-routes.ts"

export type AppParts = WebParts & {
  port: number
  entrance: OneTimeLogin
  /** The folder of the built app. */
  appFolder: string
  /** Handles `/api/events`. */
  listen: (context: Context) => Response
  /** Called for each authenticated request. */
  onInside: (context: Context) => void
  warn: (message: string) => void
}

const locked: AppProblem = { error: "This link is no longer valid. Run drey ui for a new one." }

const mostBodyBytes = 1024 * 1024

/** The app and its API, for the browser that redeemed the link. */
export function makeApp(parts: AppParts): Hono {
  const { port, entrance, warn } = parts
  const app = new Hono({ strict: false })
  app.use(securityHeaders)
  app.use(async (context, next) => {
    context.header("Cache-Control", "no-store") // except for the app's own files
    return next()
  })
  app.use(async (context, next) => {
    const header = (name: string) => context.req.header(name)
    const { path, method } = context.req
    const head = { host: header("host"), origin: header("origin"), fetchSite: header("sec-fetch-site") }
    const refusal = guardRequest({ ...head, path, method, contentType: header("content-type") }, port)
    return refusal ? context.json<AppProblem>({ error: refusal.reason }, refusal.status) : next()
  })
  app.use(
    "/api/*",
    bodyLimit({
      maxSize: mostBodyBytes,
      onError: (context) => context.json<AppProblem>({ error: "The body is larger than 1 MiB." }, 413),
    }),
  )
  app.post("/api/login", async (context) => {
    const shown = z.object({ token: z.string() }).safeParse(await readJson(context))
    const key = shown.success ? entrance.enter(shown.data.token) : undefined
    return key === undefined ? context.json<AppProblem>(locked, 401) : context.json<LoginAnswer>({ key })
  })
  // The app's files are public and contain no user data: a browser sends no key when it loads a page.
  app.use("/api/*", async (context, next) => {
    if (!entrance.isInside(context.req.header(keyHeader))) return context.json<AppProblem>(locked, 401)
    parts.onInside(context)
    return next()
  })
  app.get("/api/events", parts.listen)
  for (const route of webRoutes) app.on(route.method, route.path, (context) => answer(parts, route, context))
  app.all("/api/*", (context) => context.json<AppProblem>({ error: "Not found." }, 404))
  app.get("/*", serveApp(parts.appFolder))
  app.notFound((context) => context.json<AppProblem>({ error: "Not found." }, 404))
  app.onError((error, context) => {
    if (error instanceof DreyError) {
      const sentence = scrubText([error.message, error.hint].filter(Boolean).join(". "))
      return context.json<AppProblem>({ error: sentence }, error.exitCode === exitCode.no ? 404 : 400)
    }
    warn(`${context.req.method} ${context.req.routePath} failed: ${error.stack ?? error.message}`)
    return context.json<AppProblem>({ error: "Internal error. See the terminal for details." }, 500)
  })
  return app
}

async function answer(parts: WebParts, route: Route, context: Context): Promise<Response> {
  const given = route.method === "GET" ? context.req.query() : await readJson(context)
  const read = route.schema.safeParse(given)
  if (!read.success) return context.json<AppProblem>({ error: scrubText(sentenceOf(read.error)) }, 400)
  const { status, body } = await route.answer(parts, { params: context.req.param(), input: read.data })
  return context.json(body, status)
}

async function readJson(context: Context): Promise<unknown> {
  try {
    return await context.req.json()
  } catch {
    throw new DreyError("The body is not JSON") // no details: the parser's message quotes the body
  }
}

/** Names the invalid field, never its value. */
function sentenceOf(error: z.ZodError): string {
  const [issue] = error.issues
  const name = issue?.path.join(".")
  return `${name ? `"${name}": ` : ""}${issue?.message ?? "Invalid request"}.`
}

const securityHeaders = secureHeaders({
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
  strictTransportSecurity: false, // served without TLS, on loopback only
  xFrameOptions: "DENY",
})

/** Every address of the API but `/api/events`, which does not end. */
export const webRoutes: readonly Route[] = [
  ...aboutRoutes,
  ...overviewRoutes,
  ...itemRoutes,
  ...changeRoutes,
  ...inboxRoutes,
  ...contextRoutes,
  ...sessionRoutes,
  ...conversationRoutes,
  ...agentRoutes,
  ...healthRoutes,
]
