import { lazy } from "react"

const ExplorerPage = lazy(async () => ({ default: (await import("./pages/explorer/explorer-page.tsx")).ExplorerPage }))
const DetailPage = lazy(async () => ({ default: (await import("./pages/detail/detail-page.tsx")).DetailPage }))
const OverviewPage = lazy(async () => ({ default: (await import("./pages/overview/overview-page.tsx")).OverviewPage }))
const TimelinePage = lazy(async () => ({ default: (await import("./pages/timeline/timeline-page.tsx")).TimelinePage }))
const InboxPage = lazy(async () => ({ default: (await import("./pages/inbox/inbox-page.tsx")).InboxPage }))
const ContextPage = lazy(async () => ({ default: (await import("./pages/context/context-page.tsx")).ContextPage }))
const SessionsPage = lazy(async () => ({ default: (await import("./pages/sessions/sessions-page.tsx")).SessionsPage }))
const AgentsPage = lazy(async () => ({ default: (await import("./pages/agents/agents-page.tsx")).AgentsPage }))
const AuditPage = lazy(async () => ({ default: (await import("./pages/audit/audit-page.tsx")).AuditPage }))
const HealthPage = lazy(async () => ({ default: (await import("./pages/health/health-page.tsx")).HealthPage }))

/** Every address of the app; a page reads its own parameters with wouter's `useParams` and `useSearchParams`. */
export const pages = [
  { path: "/", component: OverviewPage },
  { path: "/timeline", component: TimelinePage },
  { path: "/explorer", component: ExplorerPage },
  { path: "/items/:id", component: DetailPage },
  { path: "/inbox", component: InboxPage },
  { path: "/context", component: ContextPage },
  { path: "/sessions/:id?", component: SessionsPage },
  { path: "/agents/:name?", component: AgentsPage },
  { path: "/audit", component: AuditPage },
  { path: "/health", component: HealthPage },
]
