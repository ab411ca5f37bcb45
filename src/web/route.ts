import type { z } from "zod"
import type { Drey } from "../drey.ts"
import { scrubText } from "../governance/redaction.ts"
import type { AppProblem } from "../recall/browse/app-api.ts"

/** What every route can work with. */
export type WebParts = { drey: Drey; version: string; user: string }

/** One address of the API; `query` or `body` is validated before `answer` is called. */
export type Route = {
  method: "GET" | "POST"
  path: string
  schema: z.ZodType
  answer(parts: WebParts, call: { params: Record<string, string>; input: unknown }): Promise<WebReply>
}

export type WebReply = { status: 200 | 400 | 404 | 409; body: object | null }

type Answer<Input> = (parts: WebParts, input: Input, params: Record<string, string>) => Promise<WebReply>

/** Reads the search part of the address. */
export function get<Schema extends z.ZodType>(path: string, schema: Schema, answer: Answer<z.infer<Schema>>): Route {
  return makeRoute("GET", path, schema, answer)
}

/** Reads the body. */
export function post<Schema extends z.ZodType>(path: string, schema: Schema, answer: Answer<z.infer<Schema>>): Route {
  return makeRoute("POST", path, schema, answer)
}

function makeRoute<Schema extends z.ZodType>(
  method: Route["method"],
  path: string,
  schema: Schema,
  answer: Answer<z.infer<Schema>>,
): Route {
  return {
    method,
    path,
    schema,
    answer: (parts, { params, input }) => answer(parts, input as z.infer<Schema>, params), // the app has checked it
  }
}

/** Declares the type of the response, so that it follows the contract. */
export function reply<Body extends object | null>(body: Body): WebReply {
  return { status: 200, body }
}

export function notFound(error: string): WebReply {
  return { status: 404, body: { error } satisfies AppProblem }
}

/** The request cannot be fulfilled; the sentence says why. */
export function problem(error: string): WebReply {
  return { status: 400, body: { error: scrubText(error) } satisfies AppProblem }
}
