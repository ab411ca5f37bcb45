import { z } from "zod"
import type { AgentSummary } from "../recall/browse/list-agents.ts"
import type { ContextRecord } from "../recall/context-log.ts"
import type { AgentDetail, AgentRow, Agents, Use } from "./api.ts"
import { get, notFound, reply } from "./route.ts"

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

/** A whole context: what it was for, and how much it was. */
function toUse({ taskId, at, agent, client, session, occasion, items, tokens }: ContextRecord): Use {
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
