import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import postgres from "postgres"
import { findPostgres } from "../../scripts/postgres/find-postgres.ts"

export type PostgresServer = {
  /** Of the database `postgres`, as the cluster's superuser. */
  url: string
  port: number
  /** A database of its own. */
  createDatabase(name: string): Promise<string>
  /** At once, as if the power had gone. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/** A real PostgreSQL server on a port and in a folder of its own, which go with it. `settings` are lines of its configuration. */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  const programs = findPostgres()
  if (programs === undefined) throw new Error("no PostgreSQL server is installed")
  const folder = mkdtempSync(join(tmpdir(), "drey-postgres-"))
  const owner = postgresOwner()
  if (owner) chownSync(folder, owner.uid, owner.gid)
  chmodSync(folder, 0o755)
  const data = join(folder, "data")
  const as = { ...owner, stdio: "pipe" as const, env: { ...process.env, LC_ALL: "C" } }
  execFileSync(join(programs, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"], as)
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const options = [`port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`, ...settings]
  let keeper: ChildProcess | undefined

  const end = async (signal: NodeJS.Signals) => {
    const server = processOf(data)
    if (server === undefined) return
    process.kill(server, signal)
    while (isRunning(server)) await pause(10)
  }
  /** A shell that ends the server when this process is gone, however it went: its input ends then. */
  const start = async () => {
    keeper?.stdin?.end("again\n")
    const script = '"$0" "$@" & server=$!; read -r word || { kill -QUIT $server; wait $server; rm -rf "$FOLDER"; }'
    const parameters = [
      "-c",
      script,
      join(programs, "postgres"),
      "-D",
      data,
      ...options.flatMap((each) => ["-c", each]),
    ]
    const env = { ...as.env, FOLDER: folder }
    keeper = spawn("/bin/sh", parameters, { ...as, env, stdio: ["pipe", "ignore", "ignore"] })
    keeper.stdin?.on("error", () => {}) // it ended before us
    keeper.unref()
    await untilItAnswers(url)
  }
  await start()
  return {
    url,
    port,
    createDatabase: (name) => createDatabase(url, name),
    start,
    kill: () => end("SIGQUIT"),
    async stop() {
      await end("SIGINT")
      keeper?.stdin?.end("done\n")
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Makes a database, unless it is there, and returns its URL. */
export async function createDatabase(server: string, name: string): Promise<string> {
  await withConnection(server, async (sql) => {
    const [known] = await sql`SELECT 1 FROM pg_database WHERE datname = ${name}`
    if (!known) await sql.unsafe(`CREATE DATABASE ${name}`)
  })
  const url = new URL(server)
  url.pathname = name
  return url.href
}

/** The process that serves a folder; undefined when none does. */
function processOf(data: string): number | undefined {
  try {
    const number = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0])
    return isRunning(number) ? number : undefined
  } catch {
    return undefined // it removes the file when it ends
  }
}

function isRunning(number: number): boolean {
  try {
    process.kill(number, 0)
    return readFileSync(`/proc/${number}/stat`, "utf8").split(" ")[2] !== "Z"
  } catch {
    return false
  }
}

let shared: Promise<PostgresServer> | undefined
let databases = 0

/** An empty database of a server that all tests of this process share. */
export async function newDatabase(): Promise<string> {
  shared ??= startPostgres(["fsync=off", "max_connections=200"])
  return (await shared).createDatabase(`test_${process.pid}_${++databases}`)
}

/** The user the server runs as if the tests run as root, which it refuses; undefined: the current user. */
export function postgresOwner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const ask = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
  return { uid: ask("-u"), gid: ask("-g") }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0))
    })
  })
}

async function untilItAnswers(url: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await withConnection(url, (sql) => sql`SELECT 1`)
      return
    } catch (error) {
      if (attempt === 200) throw error
      await pause(50)
    }
  }
}

async function withConnection(url: string, act: (sql: postgres.Sql) => PromiseLike<unknown>): Promise<void> {
  const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} })
  try {
    await act(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
