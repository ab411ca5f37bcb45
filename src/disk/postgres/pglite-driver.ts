import { chmodSync, lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { PGlite, Transaction } from "@electric-sql/pglite"
import { DreyError } from "../../errors.ts"
import { makeFolder } from "../atomic-write.ts"
import {
  applicationRole,
  makeQueues,
  type PostgresDriver,
  type PostgresValue,
  type RunQuery,
  runInTransaction,
} from "./driver.ts"

/** A PostgreSQL inside this process, in a folder used exclusively, or in memory only. One connection: all callers wait for each other. */
export async function pgliteDriver(folder: string | undefined): Promise<PostgresDriver> {
  // Files it creates while running follow the umask; for unpacked files and caches it sets the mode itself.
  const mask = folder === undefined ? undefined : process.umask(0o077)
  const unmask = () => mask !== undefined && process.umask(mask)
  const database = await openPglite(folder).catch((error: unknown) => {
    unmask()
    throw error
  })
  if (folder !== undefined) closeToOthers(folder)
  let isOwner = true
  const takeTurn = makeQueues()
  const inTurn = <Result>(act: () => Promise<Result>) => takeTurn("the one connection", act)
  const as = async (owner: boolean) => {
    if (isOwner === owner) return
    await database.exec(owner ? "RESET ROLE" : `SET ROLE ${applicationRole}`)
    isOwner = owner
  }
  const ask = askOn(database)
  await database.exec("CREATE SCHEMA IF NOT EXISTS drey; SET search_path = drey, public")
  return {
    within: (reach, mode, body) =>
      inTurn(async () => {
        await as(false)
        return runInTransaction(ask, reach, mode)(body)
      }),
    ask: (sql, parameters) =>
      inTurn(async () => {
        await as(false)
        return ask(sql, parameters)
      }),
    listen: (channel, hear) => inTurn(() => database.listen(channel, hear)),
    asOwner: (body) =>
      inTurn(async () => {
        await as(true)
        return body(ask)
      }),
    close: () =>
      inTurn(async () => {
        await database.close()
        if (folder !== undefined) closeToOthers(folder)
        unmask()
      }),
  }
}

/** PGlite gives files a mode with which every user could write them. */
function closeToOthers(folder: string): void {
  if (process.platform === "win32") return
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name)
    const { mode } = lstatSync(path)
    if ((mode & 0o077) !== 0) chmodSync(path, mode & 0o700)
  }
}

async function openPglite(folder: string | undefined): Promise<PGlite> {
  const [{ PGlite }, { vector }] = await Promise.all([
    import("@electric-sql/pglite"),
    import("@electric-sql/pglite-pgvector"),
  ]).catch((cause) => {
    throw new DreyError("the embedded database is not installed", {
      hint: "Pass --database-url, or install it beside drey: npm install @electric-sql/pglite@0.5.14 @electric-sql/pglite-pgvector@0.0.15",
      cause,
    })
  })
  if (folder !== undefined) makeFolder(folder, 0o700)
  return PGlite.create({
    dataDir: folder === undefined ? "memory://" : join(folder, "postgres"),
    extensions: { vector },
    parsers: { 20: Number, 1700: Number },
  })
}

function askOn(database: PGlite | Transaction): RunQuery {
  return async (sql, parameters = []) => {
    if (parameters.length === 0 && /;\s*\S/.test(sql)) {
      await database.exec(sql)
      return { rows: [], changes: 0 }
    }
    const { rows, affectedRows } = await database.query<Record<string, unknown>>(sql, [
      ...parameters,
    ] as PostgresValue[])
    return { rows, changes: affectedRows ?? 0 }
  }
}
