import PgBoss from "pg-boss"
import type { PostgresDriver } from "../../disk/postgres/driver.ts"
import { policyForEmbedder } from "../../formats/policy.ts"
import { cosineSimilarity } from "../../index/embedders/embedder.ts"
import { sortIntoBuckets, spacesToSort } from "../../index/postgres/buckets.ts"
import { indexMemories } from "../../index/postgres/memory-indexer.ts"
import { learnFromEpisodes } from "../../learning/learner.ts"
import type { LearningParts } from "../../learning/learning-parts.ts"
import { evaluateProject } from "../../learning/project-evaluation.ts"
import { postgresSession } from "../../memories/postgres/postgres-store.ts"
import { refreshVectors } from "../../memories/similarity.ts"
import { run, type Steps } from "../../memories/steps.ts"
import { wholeOf } from "../identity/caller.ts"
import { type MemoryParts, tenantStore } from "../memories/tenant-store.ts"
import { builtInLearning, type OrganisationLearning } from "../organisation-learning.ts"
import { type Log, traceOf } from "../server-log.ts"
import type { TeamParts } from "../team-parts.ts"
import { bossDatabase, type JobName, type JobPayloads, type Jobs, jobNames, queueSchema } from "./job-queue.ts"

export type JobsOptions = JobParts & { metrics: TeamParts["metrics"]; log: Log; runs: boolean }

/** How long a repeated job waits for more of its kind. */
const debounceSeconds: Record<JobName, number> = { evaluate: 30, learn: 5, embed: 60, tidy: 3600 }

/** Less than the half day for which the queue remembers finished jobs. */
const laterSeconds = 6 * 3600

/** How many jobs are fetched together; they run one after another. */
const atOnce = 10

/** The queue in the database, which all server processes share; with `runs` this one also works on it. */
export async function openJobs({ metrics, log, runs, ...parts }: JobsOptions): Promise<Jobs> {
  const db = bossDatabase(parts.driver.ask)
  const boss = new PgBoss({ db, schema: queueSchema, migrate: false, supervise: runs, schedule: false })
  boss.on("error", (error) => log("error", "the job queue reported an error", traceOf(error)))
  await boss.start()
  /** Memories expire and decay, and tokens expire, even without requests. */
  const askAgainLater = async <Name extends JobName>(name: Name, payload: JobPayloads[Name]) => {
    if (!(await isStillThere(parts, payload))) return
    const singletonKey = `later ${Object.values(payload).join(" ")}`
    await boss.send(name, payload, { startAfter: laterSeconds, singletonSeconds: laterSeconds, singletonKey })
  }
  const work = async <Name extends JobName>(name: Name) => {
    const doJob = async ({ id, data }: PgBoss.Job<JobPayloads[Name]>) => {
      const began = performance.now()
      try {
        if (!(await isStillThere(parts, { slug: data.slug }))) return // deleted while this waited
        await runJob(parts, name, data)
        if (name === "evaluate" || name === "tidy") await askAgainLater(name, data)
        metrics.noteJob(name, "done", (performance.now() - began) / 1000)
      } catch (error) {
        metrics.noteJob(name, "failed", (performance.now() - began) / 1000)
        log("error", "a job failed and will be retried", { job: name, ...traceOf(error) })
        await boss.fail(name, id, { reason: "see the log" }) // only this one: the others of the batch are done
      }
    }
    await boss.work<JobPayloads[Name]>(name, { batchSize: atOnce, pollingIntervalSeconds: 2 }, async (jobs) => {
      for (const job of jobs) await doJob(job)
    })
  }
  if (runs) for (const name of jobNames) await work(name)
  return {
    async send(name, payload) {
      try {
        await boss.sendDebounced(name, payload, {}, debounceSeconds[name], Object.values(payload).join(" "))
      } catch (error) {
        log("error", "a job could not be queued", { job: name, ...traceOf(error) })
      }
    },
    close: () => boss.stop({ graceful: true, close: false, timeout: 20_000 }),
  }
}

/** Whether the organisation was not deleted, and the project, if it is about one, has anything that is still to be judged. */
async function isStillThere({ driver }: JobParts, payload: JobPayloads[JobName]): Promise<boolean> {
  const { rows } = await driver.within(wholeOf(payload.slug), "read", (ask) =>
    "project" in payload
      ? ask(
          "SELECT 1 FROM memories WHERE project_id IS NOT DISTINCT FROM nullif($1::text, '') AND status <> 'deprecated' LIMIT 1",
          [payload.project],
        )
      : ask("SELECT 1 FROM organisations"),
  )
  return rows.length > 0
}

type JobParts = {
  driver: PostgresDriver
  memory: MemoryParts
  now: () => Date
  warn: (message: string) => void
  /** Default: rules and the built-in policy for every organisation. */
  learning?: OrganisationLearning | undefined
}

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

/** Learning as on a developer's machine, with the organisation as the owner of what is learned. */
function learningParts(
  { driver, memory, now, warn, learning = builtInLearning }: JobParts,
  slug: string,
): LearningParts {
  const { embed } = memory
  const own = learning.policyOf(slug)
  const policy = policyForEmbedder({ ...own, writer: { ...own.writer, allow_team: true } }, embed?.id)
  return {
    store: tenantStore(driver, wholeOf(slug), memory),
    clients: [],
    machine: { home: nowhere, environment: {}, platform: "linux" },
    writer: () => learning.writerOf(slug),
    policyOf: () => policy,
    policyFor: () => policy,
    pauseOf: () => undefined,
    likeness: embed && ((one, other) => cosineSimilarity(embed.vector(one), embed.vector(other))),
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

/** For this long, a token is reported as expired rather than unknown. */
const keptDays = 30
