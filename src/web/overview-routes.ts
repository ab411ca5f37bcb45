import { basename } from "node:path"
import { z } from "zod"
import { queryKeys } from "../formats/query.ts"
import type { AgentSummary } from "../recall/browse/agents.ts"
import type {
  About,
  AgentDetail,
  AgentRow,
  Agents,
  ContextAnswer,
  ItemUseRow,
  Overview,
} from "../recall/browse/app-api.ts"
import type { Need } from "../recall/browse/overview.ts"
import type { ContextRecord } from "../recall/context/context-log.ts"
import { get, notFound, post, reply } from "./route.ts"

export const overviewRoutes = [
  get("/api/overview", z.object({}), async ({ drey }) => {
    const browse = drey.search.browse
    const { needs, ...stock } = await browse.stock()
    const agents = await browse.agents()
    return reply<Overview>({
      project: { name: basename(drey.root), root: drey.root },
      ...stock,
      needs: needs.map(({ query, ...need }) => ({ ...need, href: placeOf(need.kind, query) })),
      cost: agents.map(({ name, baseTokens, meanTokens }) => ({ agent: name, tokens: meanTokens ?? baseTokens })),
    })
  }),
]

/** Where the app shows it. */
function placeOf(kind: Need["kind"], query: string | undefined): string {
  if (query !== undefined) return `/explorer?q=${encodeURIComponent(query)}`
  if (kind === "inbox") return "/inbox"
  return kind === "over budget" ? "/agents" : "/health"
}

/** All but what belongs to a team's server. */
const places = [
  "/",
  "/explorer",
  "/inbox",
  "/context",
  "/timeline",
  "/conversations",
  "/sessions",
  "/agents",
  "/audit",
  "/health",
]

export const aboutRoutes = [
  get("/api/about", z.object({}), async ({ drey, version, user }) => {
    const agents = await drey.search.browse.agentNames()
    return reply<About>({
      version,
      root: drey.root,
      project: basename(drey.root),
      agents,
      queryKeys: [...queryKeys],
      user,
      places,
      team: null,
    })
  }),
]

export const agentRoutes = [
  get("/api/agents", z.object({}), async ({ drey }) =>
    reply<Agents>({ agents: (await drey.search.browse.agents()).map(toRow) }),
  ),
  get("/api/agents/:name", z.object({}), async ({ drey }, _, { name = "" }) => {
    const found = await drey.search.browse.agent(name)
    if (!found) return notFound("The team has no agent with this name.")
    const { summary, history, decisions, knows, handed } = found
    return reply<AgentDetail>({ row: toRow(summary), history, decisions, knows, handed: handed.map(toUse) })
  }),
]

function toRow({ role, meanTokens, lastAt, ...summary }: AgentSummary): AgentRow {
  return { ...summary, role: role ?? null, meanTokens: meanTokens ?? null, lastAt: lastAt ?? null }
}

/** A whole context: its task and its size. */
function toUse({ taskId, at, agent, client, session, occasion, items, tokens }: ContextRecord): ItemUseRow {
  const count = `${items.length} ${items.length === 1 ? "item" : "items"}, ${tokens} tokens`
  return {
    taskId,
    at,
    agent: agent ?? null,
    client: client ?? null,
    session: session ?? null,
    rank: null,
    reason: occasion === undefined ? count : `${occasion}: ${count}`,
    outcome: null,
  }
}

const question = z.object({
  agent: z.string().max(200).optional(),
  task: z.string().max(20_000),
  budget: z.number().int().min(0).max(200_000).optional(),
  paths: z.array(z.string().max(1000)).max(100).optional(),
})

export const contextRoutes = [
  post("/api/context", question, async ({ drey }, asked) => {
    return reply<ContextAnswer>(await drey.search.browse.preview(asked))
  }),
]
