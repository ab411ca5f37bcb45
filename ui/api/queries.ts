import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import type {
  About,
  AgentDetail,
  Agents,
  Audit,
  ContextAnswer,
  ContextQuestion,
  ConversationDetail,
  ConversationReplay,
  Conversations,
  Detail,
  Health,
  Inbox,
  Items,
  Overview,
  SessionDetail,
  SessionRow,
  StaleNames,
  TimelineAnswer,
  UndoAnswer,
} from "../../src/recall/browse/app-api.ts"
import { ask, withSearch } from "./ask.ts"
import { postJson } from "./fetch-json.ts"

/** What the app can ask, one function for each address: `useQuery(itemQuery(id))`. The first part of each key is what live events name. */
export const aboutQuery = () => ask<About>(["about"], "/api/about")

export const overviewQuery = () => ask<Overview>(["overview"], "/api/overview")

export const itemsQuery = (q: string, limit: number, offset = 0) =>
  ask<Items>(["items", q, limit, offset], withSearch("/api/items", { q, limit, offset }))

export const itemQuery = (id: string) => ask<Detail>(["item", id], `/api/items/${encodeURIComponent(id)}`)

export const staleNamesQuery = (id: string) =>
  ask<StaleNames>(["item", id, "names"], `/api/items/${encodeURIComponent(id)}/names`)

export const timelineQuery = (q: string) => ({
  ...ask<TimelineAnswer>(["timeline", q], withSearch("/api/timeline", { q })),
  placeholderData: keepPreviousData,
})

export const inboxQuery = () => ask<Inbox>(["inbox"], "/api/inbox")

/** A look, so it may be asked as often as the question changes. */
export const contextQuery = (question: ContextQuestion) =>
  queryOptions({
    queryKey: ["context", question],
    queryFn: () => postJson<ContextAnswer>("/api/context", question),
    placeholderData: keepPreviousData,
  })

export const sessionsQuery = () => ask<SessionRow[]>(["sessions"], "/api/sessions")

export const sessionQuery = (id: string) =>
  ask<SessionDetail>(["sessions", id], `/api/sessions/${encodeURIComponent(id)}`)

export const conversationsQuery = (q: string) => ({
  ...ask<Conversations>(["conversations", q], withSearch("/api/conversations", { q })),
  placeholderData: keepPreviousData,
})

export const conversationQuery = (id: string) =>
  ask<ConversationDetail>(["conversations", id, "summary"], `/api/conversations/${encodeURIComponent(id)}`)

export const replayQuery = (id: string) =>
  ask<ConversationReplay>(["conversations", id, "replay"], `/api/conversations/${encodeURIComponent(id)}/replay`)

export const agentsQuery = () => ask<Agents>(["agents"], "/api/agents")

export const agentQuery = (name: string) =>
  ask<AgentDetail>(["agents", name], `/api/agents/${encodeURIComponent(name)}`)

export type AuditFilter = { action?: string; actor?: string; text?: string; limit: number; offset: number }
export const auditQuery = (filter: AuditFilter) => ({
  ...ask<Audit>(["audit", filter], withSearch("/api/audit", filter)),
  placeholderData: keepPreviousData,
})

export const healthQuery = () => ask<Health>(["health"], "/api/health")

export const undoQuery = () => ask<UndoAnswer | null>(["undo"], "/api/undo")
