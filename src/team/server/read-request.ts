import type { HonoRequest } from "hono"
import type { z } from "zod"
import { codeOf } from "../../disk/file-error.ts"
import { unstorable } from "./answer-error.ts"
import { isStorable } from "./is-storable.ts"
import { refuse } from "./refusal.ts"
import type { TeamRoute } from "./route.ts"

/** Validates parameters, query and body with the route's schemas. Errors name the field, never its value. */
export async function readRequest(
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
