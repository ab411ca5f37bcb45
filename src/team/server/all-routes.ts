import { z } from "zod"
import { openApiDocument } from "./open-api.ts"
import { reply, route, type TeamRoute } from "./route.ts"
import { appChangeRoutes } from "./routes/app-change-routes.ts"
import { appRoutes } from "./routes/app-routes.ts"
import { memberRoutes } from "./routes/member-routes.ts"
import { memoryRoutes } from "./routes/memory-routes.ts"
import { organisationRoutes } from "./routes/organisation-routes.ts"
import { projectRoutes } from "./routes/project-routes.ts"
import { recallRoutes } from "./routes/recall-routes.ts"
import { signInRoutes } from "./routes/sign-in-routes.ts"
import { systemRoutes } from "./routes/system-routes.ts"
import { teamRoutes } from "./routes/team-routes.ts"
import { tokenRoutes } from "./routes/token-routes.ts"
import { useRoutes } from "./routes/use-routes.ts"

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
