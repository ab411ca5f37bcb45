import { resolve } from "node:path"
import type { Command } from "commander"
import type { DatabasePlace } from "../team/server/with-database.ts"
import { commandGroup } from "./command.ts"
import { parseCount } from "./parse-count.ts"

export type DatabaseOptions = { databaseUrl?: string; data?: string; connections?: string }

/** A command for server operators; it does not depend on the current repository. */
export function serverCommand(name: string, description: string, example: string): Command {
  return commandGroup(name, description, example)
    .option("--json", "print one JSON document")
    .option("--database-url <url>", "a PostgreSQL server, 15 or later; default: $DREY_DATABASE_URL")
    .option(
      "--data <dir>",
      "the folder of an embedded database, without --database-url; default: team-server in Drey's home",
    )
}

/** Identifies a database without its credentials. */
export function databaseNameOf(place: DatabasePlace): string {
  if (place.kind === "folder") return place.path === undefined ? "the default folder" : resolve(place.path)
  return place.url.replace(/^\w+:\/\/(?:.*@)?/, "").replace(/\?.*$/, "")
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
