import type { PostgresDriver, PostgresValue, RunQuery, TenantScope } from "../../src/disk/postgres/driver.ts"

type Statement = { sql: string; parameters: readonly PostgresValue[] }

/** The statements of one request; those of a group were put without waiting for one another. */
export type Recorded = { reach: TenantScope; groups: Statement[][] }

/** Carries out a request within the process, and notes what it asked the database. */
export async function record(
  driver: PostgresDriver,
  reach: TenantScope,
  act: (ask: RunQuery) => Promise<unknown>,
): Promise<Recorded> {
  const groups: Statement[][] = []
  let pending = 0
  await driver.within(reach, "read", (ask) =>
    act(async (sql, parameters = []) => {
      const group = pending > 0 ? (groups.at(-1) ?? []) : []
      if (pending === 0) groups.push(group)
      group.push({ sql, parameters })
      pending++
      try {
        return await ask(sql, parameters)
      } finally {
        pending--
      }
    }),
  )
  return { reach, groups }
}

/** The same statements on the bare database, with nothing done about the answers. */
export function replay(driver: PostgresDriver, { reach, groups }: Recorded): Promise<void> {
  return driver.within(reach, "read", async (ask) => {
    for (const group of groups) await Promise.all(group.map(({ sql, parameters }) => ask(sql, parameters)))
  })
}
