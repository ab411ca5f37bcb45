import type { Memory } from "../../../store/memory.ts"
import type { TeamMemory } from "../../api.ts"

/** A memory as sent to clients. */
export function toTeamMemory(memory: Memory): TeamMemory {
  const { derivedFrom: _, evidence: __, metrics, owner, ...rest } = memory
  const { useCount, opportunities, hits, misses, regretSaved } = metrics
  return {
    ...rest,
    project: memory.project ?? null,
    pathPrefix: memory.pathPrefix ?? null,
    owner: { type: owner.type === "team" ? "team" : "org", id: owner.id },
    key: memory.key ?? null,
    expires: memory.expires ?? null,
    contributedBy: memory.contributedBy ?? fromEpisodes,
    sourceMemory: memory.sourceMemory ?? null,
    metrics: { useCount, opportunities, hits, misses, regretSaved },
  }
}

/** Shown as the contributor of memories learned on the server from uploaded episodes. */
export const fromEpisodes = "the team's work"
