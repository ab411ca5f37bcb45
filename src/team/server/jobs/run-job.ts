import type { PostgresDriver } from "../../../disk/postgres/driver.ts"
import { likeness } from "../../../embedders/likeness.ts"
import { builtInPolicy } from "../../../formats/policy.ts"
import { policyForEmbedder } from "../../../formats/policy-for-embedder.ts"
import { sortIntoBuckets, spacesToSort } from "../../../index/postgres/buckets.ts"
import { indexMemories } from "../../../index/postgres/index-memories.ts"
import { evaluateProject } from "../../../learning/evaluate-project.ts"
import { learnFromEpisodes } from "../../../learning/learn.ts"
import type { LearningParts } from "../../../learning/learning-parts.ts"
import { postgresSession } from "../../../store/postgres/postgres-session.ts"
import { refreshVectors } from "../../../store/refresh-vectors.ts"
import { run, type Steps } from "../../../store/steps.ts"
import { rulesWriter } from "../../../writer/rules-writer.ts"
import { type MemoryParts, tenantStore } from "../../tenant-memory.ts"
import { wholeOf } from "../identity/caller.ts"
import type { JobName, JobPayloads } from "./jobs.ts"

export type JobParts = { driver: PostgresDriver; memory: MemoryParts; now: () => Date; warn: (message: string) => void }

/** Does one job. A second time does nothing that the first has done. */
export async function runJob<Name extends JobName>(
  parts: JobParts,
  name: Name,
  payload: JobPayloads[Name],
): Promise<void> {
  const { slug } = payload
  const project = { id: "project" in payload ? payload.project : "", root: nowhere }
  if (name === "learn") await learnFromEpisodes(learningParts(parts, slug), project)
  if (name === "evaluate")
    await evaluateProject(learningParts(parts, slug), project, { now: parts.now().toISOString() })
  if (name === "embed") await makeVectors(parts, slug)
  if (name === "tidy") await postgresSession(parts.driver, wholeOf(slug)).write(() => dropWhatRanOut(parts.now()))
}

/** A project has no folder here. */
const nowhere = "/dev/null/none"

/** Learning as it is on a developer's machine, with the organisation as owner of what is learned. */
function learningParts({ driver, memory, now, warn }: JobParts, slug: string): LearningParts {
  const { embed } = memory
  const { writer } = builtInPolicy
  const policy = policyForEmbedder({ ...builtInPolicy, writer: { ...writer, allow_team: true } }, embed?.id)
  return {
    store: tenantStore(driver, wholeOf(slug), memory),
    clients: [],
    machine: { home: nowhere, environment: {}, platform: "linux" },
    writer: async () => rulesWriter(),
    policyOf: () => policy,
    policyFor: () => policy,
    pauseOf: () => undefined,
    likeness: embed && ((one, other) => likeness(embed.vector(one), embed.vector(other))),
    owner: slug,
    ownerType: "org",
    now,
    home: nowhere,
    lockPath: nowhere,
    warn,
  }
}

async function makeVectors(parts: JobParts, slug: string): Promise<void> {
  const { embed } = parts.memory
  const reach = wholeOf(slug)
  if (embed) await postgresSession(parts.driver, reach, indexMemories).write(() => refreshVectors(embed))
  const now = parts.now().toISOString()
  const spaces = await parts.driver.within(reach, "read", spacesToSort)
  for (const space of spaces) await parts.driver.within(reach, "write", (ask) => sortIntoBuckets(ask, space, now))
}

function* dropWhatRanOut(now: Date): Steps<void> {
  const at = now.toISOString()
  const longAgo = new Date(now.getTime() - keptDays * 86_400_000).toISOString()
  yield* run("DELETE FROM sign_ins WHERE expires_at < ?", at)
  yield* run("DELETE FROM tokens WHERE expires_at < ? OR revoked_at < ?", longAgo, longAgo)
  yield* run("DELETE FROM invitations WHERE expires_at < ? OR used_at < ?", longAgo, longAgo)
}

/** So long whoever holds one is told that it has run out, and not that there was none. */
const keptDays = 30
