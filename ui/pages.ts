import { type ComponentType, lazy } from "react"
import { ApiError } from "./api/fetch-json.ts"

const ExplorerPage = fetchPage(async () => (await import("./pages/explorer/explorer-page.tsx")).ExplorerPage)
const DetailPage = fetchPage(async () => (await import("./pages/detail/detail-page.tsx")).DetailPage)
const OverviewPage = fetchPage(async () => (await import("./pages/overview/overview-page.tsx")).OverviewPage)
const TimelinePage = fetchPage(async () => (await import("./pages/timeline/timeline-page.tsx")).TimelinePage)
const InboxPage = fetchPage(async () => (await import("./pages/inbox/inbox-page.tsx")).InboxPage)
const ContextPage = fetchPage(async () => (await import("./pages/context/context-page.tsx")).ContextPage)
const SessionsPage = fetchPage(async () => (await import("./pages/sessions/sessions-page.tsx")).SessionsPage)
const ConversationsPage = fetchPage(
  async () => (await import("./pages/conversations/conversations-page.tsx")).ConversationsPage,
)
const AgentsPage = fetchPage(async () => (await import("./pages/agents/agents-page.tsx")).AgentsPage)
const AuditPage = fetchPage(async () => (await import("./pages/audit/audit-page.tsx")).AuditPage)
const HealthPage = fetchPage(async () => (await import("./pages/health/health-page.tsx")).HealthPage)
const AdminPage = fetchPage(async () => (await import("./pages/admin/admin-page.tsx")).AdminPage)
export const SignInPage = fetchPage(async () => (await import("./pages/sign-in/sign-in-page.tsx")).SignInPage)
export const JoinPage = fetchPage(async () => (await import("./pages/join/join-page.tsx")).JoinPage)

/** Every address inside the app, and the place of the navigation that it belongs to; a page reads its own parameters with wouter's `useParams` and `useSearchParams`. */
export const pages = [
  { path: "/", place: "/", component: OverviewPage },
  { path: "/timeline", place: "/timeline", component: TimelinePage },
  { path: "/explorer", place: "/explorer", component: ExplorerPage },
  { path: "/items/:id", place: "/explorer", component: DetailPage },
  { path: "/inbox", place: "/inbox", component: InboxPage },
  { path: "/context", place: "/context", component: ContextPage },
  { path: "/sessions/:id?", place: "/sessions", component: SessionsPage },
  { path: "/conversations/:id?", place: "/conversations", component: ConversationsPage },
  { path: "/agents/:name?", place: "/agents", component: AgentsPage },
  { path: "/audit", place: "/audit", component: AuditPage },
  { path: "/health", place: "/health", component: HealthPage },
  { path: "/admin", place: "/admin", component: AdminPage },
]

/** A page is fetched when it is first gone to; a server out of reach is the usual reason why it is not there. */
function fetchPage(load: () => Promise<ComponentType>) {
  return lazy(async () => {
    try {
      return { default: await load() }
    } catch (cause) {
      throw new ApiError(
        "This page could not be loaded. Check that `drey ui`, or your team's server, is still running.",
        0,
        { cause },
      )
    }
  })
}
