import type { z } from "zod"
import type { Role, TokenScope } from "./api.ts"
import type { TeamCaller } from "./identity/caller.ts"
import type { TeamParts } from "./team-parts.ts"

/** The required token scope and minimum role. */
export type Needs = "nobody" | { scope: TokenScope; role: Role }

/** One route. The OpenAPI document, request validation and the isolation test are derived from these. */
export type TeamRoute = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** `:name` is a parameter. */
  path: string
  summary: string
  needs: Needs
  query?: z.ZodType
  body?: z.ZodType
  /** Response schemas by status; `undefined`: not JSON, described by `form`. */
  answers: Record<number, z.ZodType | undefined>
  /** Describes a response that is not JSON. */
  form?: string
  limits?: Limits
  handle(parts: TeamParts, call: RouteCall): Promise<TeamReply | Response>
}

export type Limits = {
  /** Maximum body size. */
  bytes?: number
  /** Time until the response must start. */
  ms?: number
  /** Limited to a few per minute and address, against guessing of secrets. */
  isSignIn?: true
}

export type TeamReply = {
  status: number
  body: object | null
  /** The session cookie to set; an empty text removes it. */
  cookie?: { text: string; expires: Date | undefined }
}

/** An authorized request, validated by the route's schemas. */
export type RouteCall<Query = unknown, Body = unknown> = {
  /** Not set on public routes. */
  caller: TeamCaller
  params: Record<string, string>
  query: Query
  body: Body
  request: Request
  /** The client's address. */
  address: string
}

type Schemas<Query extends z.ZodType, Body extends z.ZodType> = Omit<TeamRoute, "handle" | "query" | "body"> & {
  query?: Query
  body?: Body
  handle(parts: TeamParts, call: RouteCall<z.infer<Query>, z.infer<Body>>): Promise<TeamReply | Response>
}

/** Types a route's handler by its schemas. */
export function route<Query extends z.ZodType, Body extends z.ZodType>(given: Schemas<Query, Body>): TeamRoute {
  return given as TeamRoute // the app validates the input before it calls the handler
}

export function reply<Body extends object | null>(body: Body, status = 200): TeamReply {
  return { status, body }
}
