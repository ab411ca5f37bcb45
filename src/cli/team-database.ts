import type { Command } from "commander"
import type { DatabasePlace } from "../team/server/with-database.ts"
import { parseCount } from "./parse-count.ts"

export type DatabaseOptions = { databaseUrl?: string; data?: string; connections?: string }

/** The options by which every command of the server finds its database. */
export function withDatabaseOptions(command: Command): Command {
  return command
    .option("--database-url <url>", "a PostgreSQL server, 15 or later; default: $DREY_DATABASE_URL")
    .option(
      "--data <dir>",
      "without one: the folder of an embedded database; default: team-server in Drey's own folder",
    )
}

export function databasePlaceOf({ databaseUrl, data, connections }: DatabaseOptions): DatabasePlace {
  const url = databaseUrl ?? (data === undefined ? process.env.DREY_DATABASE_URL : undefined)
  if (url)
    return {
      kind: "server",
      url,
      connections: connections === undefined ? 10 : parseCount(connections, "connections", 2, 500),
    }
  return { kind: "folder", path: data }
}
