import type { z } from "zod"
import type { Role, Scope } from "../api.ts"
import type { Caller } from "./identity/caller.ts"
import type { TeamParts } from "./team-parts.ts"

/** What it takes to be served: a scope of the token or sign-in, and at least a role. */
export type Needs = "nobody" | { scope: Scope; role: Role }

/** One address of the server. The OpenAPI document, the checks before a request is served and the test of isolation are made from these. */
export type TeamRoute = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** `:name` is a parameter. */
  path: string
  summary: string
  needs: Needs
  query?: z.ZodType
  body?: z.ZodType
  /** By status; `undefined`: an answer without JSON, described by `form`. */
  answers: Record<number, z.ZodType | undefined>
  /** What an answer is that is not JSON. */
  form?: string
  limits?: Limits
  handle(parts: TeamParts, call: Call): Promise<Reply | Response>
}

export type Limits = {
  /** Of the body. */
  bytes?: number
  /** Until it must be answered; a stream only begins by then. */
  ms?: number
  /** Counted by the address it comes from, a few a minute: for whoever tries out secrets. */
  isSignIn?: true
}

export type Reply = {
  status: number
  body: object | null
  /** To be set, or with an empty text to be removed: the browser is signed in or out. */
  cookie?: { text: string; expires: Date | undefined }
}

/** A request as a route gets it: known to be allowed, and in the form of its schemas. */
export type Call<Query = unknown, Body = unknown> = {
  /** Who asks; a route that needs nobody must not look. */
  caller: Caller
  params: Record<string, string>
  query: Query
  body: Body
  request: Request
  /** Where it comes from. */
  address: string
}

type Schemas<Query extends z.ZodType, Body extends z.ZodType> = Omit<TeamRoute, "handle" | "query" | "body"> & {
  query?: Query
  body?: Body
  handle(parts: TeamParts, call: Call<z.infer<Query>, z.infer<Body>>): Promise<Reply | Response>
}

/** A route whose handler knows the types of its schemas. */
export function route<Query extends z.ZodType, Body extends z.ZodType>(given: Schemas<Query, Body>): TeamRoute {
  return given as TeamRoute // the app has checked what it hands over
}

export function reply<Body extends object | null>(body: Body, status = 200): Reply {
  return { status, body }
}
