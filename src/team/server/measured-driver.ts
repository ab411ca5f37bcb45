import type { PostgresDriver } from "../../disk/postgres/driver.ts"
import type { ServerMetrics } from "./server-metrics.ts"

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
