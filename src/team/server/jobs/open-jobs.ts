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

/** The queue in the database, which all server processes share; with `runs` this one also works on it. */
export async function openJobs({ metrics, log, runs, ...parts }: JobsOptions): Promise<Jobs> {
  const db = bossDatabase(parts.driver.ask)
  const boss = new PgBoss({ db, schema: queueSchema, migrate: false, supervise: runs, schedule: false })
  boss.on("error", (error) => log("error", "the queue had trouble", traceOf(error)))
  await boss.start()
  /** Memories expire and fade, and tokens run out, also where nobody asks for anything. */
  const askAgainLater = async <Name extends JobName>(name: Name, payload: JobPayloads[Name]) => {
    const { rows } = await parts.driver.within(wholeOf(payload.slug), "read", (ask) =>
      ask("SELECT 1 FROM organisations"),
    )
    if (rows.length === 0) return // it was deleted
    const singletonKey = `later ${Object.values(payload).join(" ")}`
    await boss.send(name, payload, { startAfter: laterSeconds, singletonSeconds: laterSeconds, singletonKey })
  }
  const work = async <Name extends JobName>(name: Name) => {
    await boss.work<JobPayloads[Name]>(name, { batchSize: 1, pollingIntervalSeconds: 2 }, async ([job]) => {
      if (!job) return
      const began = performance.now()
      try {
        await runJob(parts, name, job.data)
        if (name === "evaluate" || name === "tidy") await askAgainLater(name, job.data)
        metrics.noteJob(name, "done", (performance.now() - began) / 1000)
      } catch (error) {
        metrics.noteJob(name, "failed", (performance.now() - began) / 1000)
        log("error", "a job failed and will be tried again", { job: name, ...traceOf(error) })
        throw new Error("the log says why") // the queue keeps what it is told
      }
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
