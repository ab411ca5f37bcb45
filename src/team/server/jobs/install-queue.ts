import PgBoss from "pg-boss"
import { type Ask, applicationRole, type PostgresDriver, type PostgresValue } from "../../../disk/postgres/driver.ts"
import { inTurn } from "../../../store/postgres/migrate.ts"
import { jobNames, queueSchema } from "./jobs.ts"

/** Makes the queue's tables as the owner of the database, and lets the server use them; a second time changes nothing. */
export function installQueue(driver: PostgresDriver): Promise<void> {
  return driver.asOwner((ask) => inTurn(ask, () => install(ask)))
}

async function install(ask: Ask): Promise<void> {
  const boss = new PgBoss({ db: bossDatabase(ask), schema: queueSchema, supervise: false, schedule: false })
  boss.on("error", () => {}) // what fails here is thrown as well
  await boss.start()
  for (const name of jobNames) {
    await boss.createQueue(`${name}-dead`)
    await boss.createQueue(name, queueOptions(name))
  }
  await boss.stop({ graceful: false, close: false })
  await ask(`GRANT USAGE ON SCHEMA ${queueSchema} TO ${applicationRole}`)
  await ask(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${queueSchema} TO ${applicationRole}`)
  await ask(`GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${queueSchema} TO ${applicationRole}`)
}

function queueOptions(name: string) {
  const expireInSeconds = 900
  return { name, retryLimit: 5, retryDelay: 5, retryBackoff: true, expireInSeconds, deadLetter: `${name}-dead` }
}

/** What the queue asks, over the connections that there are. */
export function bossDatabase(ask: Ask): PgBoss.Db {
  return { executeSql: (text, values = []) => ask(text, values as PostgresValue[]) }
}
