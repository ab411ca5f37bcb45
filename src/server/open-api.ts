import { z } from "zod"
import { problem } from "./api.ts"
import { appChangeRoutes, appRoutes } from "./routes/app-routes.ts"
import { memberRoutes, teamRoutes, tokenRoutes } from "./routes/member-routes.ts"
import { memoryRoutes, recallRoutes, useRoutes } from "./routes/memory-routes.ts"
import { organisationRoutes, projectRoutes } from "./routes/organisation-routes.ts"
import { signInRoutes } from "./routes/sign-in-routes.ts"
import { systemRoutes } from "./routes/system-routes.ts"
import { reply, route, type TeamRoute } from "./team-route.ts"

/** Builds the OpenAPI 3.1 document from the schemas that validate requests. */
export function openApiDocument(routes: readonly TeamRoute[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}")
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route) }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Drey team server",
      version,
      description: "Shared memory for an organisation. Times are ISO 8601 strings; clients ignore unknown fields.",
    },
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "A personal access token, drey_pat_…" },
        browser: { type: "apiKey", in: "cookie", name: "__Host-drey" },
      },
      schemas: { Problem: schemaOf(problem) },
    },
  }
}

function describeRoute(route: TeamRoute): Record<string, unknown> {
  const { summary, needs, body, answers, form } = route
  const described = Object.entries(answers).map(([status, schema]) => [status, describeAnswer(status, schema, form)])
  const scope =
    needs === "nobody" ? undefined : `Requires the scope "${needs.scope}" and at least the role ${needs.role}.`
  return {
    operationId: operationIdOf(route),
    summary,
    ...(scope === undefined ? {} : { description: scope }),
    security: needs === "nobody" ? [] : [{ token: [] }, { browser: [] }],
    parameters: [...pathParameters(route.path), ...queryParameters(route.query)],
    ...(body ? { requestBody: { required: true, content: { "application/json": { schema: schemaOf(body) } } } } : {}),
    responses: { ...Object.fromEntries(described), default: refusal },
  }
}

const refusal = {
  description: "Error",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } },
}

function describeAnswer(status: string, schema: z.ZodType | undefined, form: string | undefined) {
  if (!schema) return { description: status === "204" ? "Done" : (form ?? "Done") }
  return { description: "Success", content: { "application/json": { schema: schemaOf(schema) } } }
}

/** Operation ids are derived from method and path, so that no route needs a name. */
function operationIdOf({ method, path }: TeamRoute): string {
  const words = path.split(/[/.]/).filter((word) => word !== "" && word !== "v1")
  const named = words.map((word) => word.replace(/^:(.)(.*)/, (_, first, rest) => `By${first.toUpperCase()}${rest}`))
  return [method.toLowerCase(), ...named.map(capitalize)].join("").replaceAll("-", "")
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function pathParameters(path: string) {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }))
}

function queryParameters(query: z.ZodType | undefined) {
  if (!query) return []
  const { properties = {}, required = [] } = schemaOf(query) as { properties?: object; required?: string[] }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }))
}

/** The schema of the input, before defaults are applied. */
function schemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" })
  return rest
}

const describe = route({
  method: "GET",
  path: "/openapi.json",
  summary: "This OpenAPI document",
  needs: "nobody",
  answers: { 200: z.looseObject({ openapi: z.string() }) },
  handle: async ({ version }) => reply(openApiDocument(documentedRoutes, version)),
})

/** The public API; the browser app's own routes are not documented. */
export const documentedRoutes: readonly TeamRoute[] = [
  describe,
  ...systemRoutes,
  ...signInRoutes,
  ...organisationRoutes,
  ...teamRoutes,
  ...memberRoutes,
  ...tokenRoutes,
  ...projectRoutes,
  ...memoryRoutes,
  ...recallRoutes,
  ...useRoutes,
]

/** Every route of the server except the browser app's files. */
export const allRoutes: readonly TeamRoute[] = [...documentedRoutes, ...appRoutes, ...appChangeRoutes]
