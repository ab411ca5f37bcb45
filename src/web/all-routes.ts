import { aboutRoutes } from "./about-routes.ts"
import { agentRoutes } from "./agent-routes.ts"
import { changeRoutes } from "./change-routes.ts"
import { contextRoutes } from "./context-routes.ts"
import { healthRoutes } from "./health-routes.ts"
import { inboxRoutes } from "./inbox-routes.ts"
import { itemRoutes } from "./item-routes.ts"
import { overviewRoutes } from "./overview-routes.ts"
import type { Route } from "./route.ts"
import { sessionRoutes } from "./session-routes.ts"

/** Every address of the API but `/api/events`, which does not end. */
export const allRoutes: readonly Route[] = [
  ...aboutRoutes,
  ...overviewRoutes,
  ...itemRoutes,
  ...changeRoutes,
  ...inboxRoutes,
  ...contextRoutes,
  ...sessionRoutes,
  ...agentRoutes,
  ...healthRoutes,
]
