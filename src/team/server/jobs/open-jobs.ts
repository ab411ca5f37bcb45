import PgBoss from "pg-boss"
import { wholeOf } from "../identity/caller.ts"
import { type Log, traceOf } from "../log.ts"
import type { TeamParts } from "../team-parts.ts"
import { bossDatabase } from "./install-queue.ts"
import { type JobName, type JobPayloads, type Jobs, jobNames, queueSchema } from "./jobs.ts"
import type { JobParts } from "./run-job.ts"
import { runJob } from "./run-job.ts"

export type JobsOptions = JobParts & { metrics: TeamParts["metrics"]; log: Log; runs: boolean }

/** How long the same job, asked for again, waits for more of its kind. */
const debounceSeconds: Record<JobName, number> = { evaluate: 30, learn: 5, embed: 60, tidy: 3600 }

/** Less than the half day for which the queue remembers what is done. */
const laterSeconds = 6 * 3600

/** How many jobs are fetched together; they run one after another. */
const atOnce = 10

/** The queue in the database, which all server processes share; with `runs` this one also works on it. */
export async function openJobs({ metrics, log, runs, ...parts }: JobsOptions): Promise<Jobs> {
  const db = bossDatabase(parts.driver.ask)
  const boss = new PgBoss({ db, schema: queueSchema, migrate: false, supervise: runs, schedule: false })
  boss.on("error", (error) => log("error", "the job queue reported an error", traceOf(error)))
  await boss.start()
  /** Memories expire and fade, and tokens run out, also where nobody asks for anything. */
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
