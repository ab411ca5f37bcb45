import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client"
import type { PostgresDriver } from "../disk/postgres/driver.ts"

/** Prometheus metrics by route; never by tenant, member or content. */
export type ServerMetrics = {
  noteRequest(route: string, method: string, status: number, seconds: number): void
  noteJob(queue: string, result: "done" | "failed", seconds: number): void
  noteListeners(change: 1 | -1): void
  /** Call when the transaction starts to wait for a connection, and the returned function when it ends. */
  noteTransaction(mode: "read" | "write"): () => void
  text(): Promise<string>
  readonly contentType: string
}

export function openServerMetrics(): ServerMetrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
  const requests = new Counter({
    name: "drey_requests_total",
    help: "Requests by route and status",
    labelNames: ["route", "method", "status"],
    registers,
  })
  const durations = new Histogram({
    name: "drey_request_seconds",
    help: "Request duration",
    labelNames: ["route", "method"],
    buckets,
    registers,
  })
  const jobs = new Histogram({
    name: "drey_job_seconds",
    help: "Job duration by queue and result",
    labelNames: ["queue", "result"],
    buckets,
    registers,
  })
  const listeners = new Gauge({ name: "drey_event_listeners", help: "Open event streams", registers })
  const transactions = new Histogram({
    name: "drey_transaction_seconds",
    help: "Transaction duration, including the wait for a connection",
    labelNames: ["mode"],
    buckets,
    registers,
  })
  const underWay = new Gauge({
    name: "drey_transactions_under_way",
    help: "Transactions running or waiting for a connection",
    labelNames: ["mode"],
    registers,
  })
  return {
    noteTransaction(mode) {
      const end = transactions.startTimer({ mode })
      underWay.inc({ mode })
      return () => {
        end()
        underWay.dec({ mode })
      }
    },
    noteRequest(route, method, status, seconds) {
      requests.inc({ route, method, status })
      durations.observe({ route, method }, seconds)
    },
    noteJob: (queue, result, seconds) => jobs.observe({ queue, result }, seconds),
    noteListeners: (change) => listeners.inc(change),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

/** Wraps a driver to count transactions that run or wait for a connection. */
export function measuredDriver(
  driver: PostgresDriver,
  metrics: Pick<ServerMetrics, "noteTransaction">,
): PostgresDriver {
  return {
    ...driver,
    async within(reach, mode, body) {
      const done = metrics.noteTransaction(mode)
      try {
        return await driver.within(reach, mode, body)
      } finally {
        done()
      }
    },
  }
}
