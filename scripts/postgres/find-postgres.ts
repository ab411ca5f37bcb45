import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"

/** The folder with the programs of a PostgreSQL server, the newest that there is; undefined where none is installed. */
export function findPostgres(): string | undefined {
  const named = process.env.DREY_POSTGRES
  if (named !== undefined && named !== "") return named
  const places = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"].filter((place) => existsSync(place))
  const folders = places.flatMap((place) =>
    readdirSync(place)
      .filter((name) => /^(?:postgresql@)?\d+$/.test(name))
      .sort((one, other) => versionOf(other) - versionOf(one))
      .map((name) => join(place, name, "bin")),
  )
  return folders.find((folder) => existsSync(join(folder, "initdb")))
}

function versionOf(name: string): number {
  return Number(name.replace("postgresql@", ""))
}
