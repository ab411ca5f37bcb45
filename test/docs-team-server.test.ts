import { spawnSync } from "node:child_process"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parse } from "yaml"
import { findPostgres } from "../scripts/postgres/find-postgres.ts"
import { postgresDriver } from "../src/disk/postgres/postgres-driver.ts"
import { checkTenancy } from "../src/memories/postgres/tenancy.ts"
import { shared } from "../src/server/test-team-server.ts"
import { commandsIn, readPage, takeBlocks } from "./doc-blocks.ts"
import { type PostgresServer, startPostgres } from "./postgres/start-postgres.ts"
import { cliPath, environmentOf, makeRepository } from "./run-cli.ts"
import { askTeam, ownerToken, type ServedTeam, serveTeam } from "./team/serve-team.ts"

const root = resolve(import.meta.dirname, "..")
const page = readPage("docs/team-server.md")
const template = (name: string) => readFileSync(join(root, "templates", "team-server", name), "utf8")
const hasPrograms = ["psql", "createdb", "pg_dump", "pg_restore", "curl"].every(
  (name) => spawnSync(name, ["--version"]).status === 0,
)

const commands = commandsIn(takeBlocks("docs/team-server.md", "console", 6))

describe.skipIf(findPostgres() === undefined || !hasPrograms)("on PostgreSQL (needs it installed, and curl)", () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres(["max_connections=100"])
  })
  afterAll(() => postgres?.stop())

  test("the commands of the page work: set up, dump, restore, copy, export, delete", async () => {
    const cwd = makeRepository({})
    const host = `127.0.0.1:${postgres.port}`
    writeFileSync(join(cwd, "drey"), `#!/bin/sh\nexec "${process.execPath}" "${cliPath}" "$@"\n`)
    chmodSync(join(cwd, "drey"), 0o755)
    const env: Record<string, string> = environmentOf({
      PATH: `${cwd}:${process.env.PATH}`,
      ...{ PGHOST: "127.0.0.1", PGPORT: String(postgres.port), PGUSER: "postgres" },
    })
    let server: ServedTeam | undefined
    let tried = ""
    const stop = async () => {
      server?.child.kill("SIGTERM")
      if (server) expect(await server.ended).toBe(0)
      server = undefined
    }
    const serve = async (args: string[]) => {
      await stop()
      server = await serveTeam([...args, "--drain", "0", "--log-level", "warn"], env)
      return server
    }
    const run = async (line: string, printed: string) => {
      const [, name, value] = /^export (\w+)=(.*)$/.exec(line) ?? []
      if (name && value) env[name] = value.replace("db.example.com", host)
      else if (line.startsWith("drey team serve"))
        await serve(
          line
            .split(" ")
            .slice(3)
            .map((word) => word.replace(/^try-it/, `${cwd}/try-it`)),
        )
      else {
        const command = line.replace(/https:\/\/drey\.example\.com(?=\/v1)/, server?.url ?? "")
        const { status, stdout, stderr } = spawnSync("sh", ["-c", command], { cwd, env, encoding: "utf8" })
        expect([line, status, stderr, stdout.replace(/#\S+/, "#LINK").replace(/\d+:[0-9a-f]{72}/, "1:HASH")]).toEqual([
          line,
          0,
          "",
          printed,
        ])
        return stdout
      }
    }
    const before = async (line: string) => {
      if (/^(cp|createdb) /.test(line)) await stop()
      if (line.startsWith("curl ")) server ??= await serve(["--no-migrate"])
    }
    const after = async (line: string, told: string | undefined) => {
      if (line === "drey team serve --data try-it") tried = await shareAsOwner(server as ServedTeam)
      if (line === "drey team serve --data try-it-copy") {
        expect(await listed((server as ServedTeam).url, tried)).toEqual([shared().text])
        await stop()
      }
      if (line.startsWith("drey team org create ")) {
        const ownerLink = /#\S+/.exec(told ?? "")?.[0] ?? ""
        env.TOKEN = await shareAsOwner({ url: (await serve([])).url, ownerLink })
      }
      if (line.startsWith("pg_dump ")) {
        await stop()
        expect(spawnSync("dropdb", ["drey"], { env }).status).toBe(0)
      }
      if (line === "drey team serve --no-migrate") await expectRestored(server as ServedTeam, env)
    }
    for (const { line, printed } of commands) {
      await before(line)
      await after(line, await run(line, printed))
    }
    const deleted = JSON.parse(readFileSync(join(cwd, "deleted.json"), "utf8"))
    expect(deleted.rows).toMatchObject({ organisations: 1, members: 1, memories: 1 })
    expect(readFileSync(join(cwd, "acme.ndjson"), "utf8")).toContain(shared().text)
    await stop()
  }, 240_000)

  test("a user that was granted drey_app and nothing else can serve", async () => {
    const url = await postgres.createDatabase("other_user")
    const owner = await serveTeam(["--database-url", url, "--drain", "0", "--log-level", "warn"])
    const secret = await ownerToken(owner)
    const driver = postgresDriver(url)
    await driver.asOwner((ask) => ask("CREATE ROLE drey_serve LOGIN IN ROLE drey_app"))
    await driver.close()
    const other = url.replace("postgres@", "drey_serve@")
    const server = await serveTeam(["--no-migrate", "--database-url", other, "--drain", "0", "--log-level", "warn"])
    expect((await askTeam(server.url, secret, "/v1/memories", shared())).status).toBe(201)
    expect(server.log).toEqual([])
  })

  test("the page names the figures that the server has", async () => {
    const url = await postgres.createDatabase("figures")
    const server = await serveTeam(["--database-url", url, "--drain", "0", "--log-level", "warn"])
    const figures = await (await fetch(`${server.url}/metrics`)).text()
    const had = [...figures.matchAll(/^# TYPE (drey_\w+)/gm)].map(([, name]) => name)
    const named = [...page.matchAll(/`(drey_\w+)`/g)]
      .map(([, name]) => name)
      .filter((name) => /_\w+_|_seconds/.test(name ?? ""))
    expect([...new Set(named)].sort()).toEqual(had.sort())
  })

  test("the statements for a cluster cover every table, referenced ones first", async () => {
    const driver = postgresDriver(await postgres.createDatabase("spread"))
    const server = await serveTeam(["--database-url", `${postgres.url.replace(/postgres$/, "spread")}`, "--drain", "0"])
    server.child.kill("SIGTERM")
    await server.ended
    const [sql = ""] = takeBlocks("src/server/README.md", "sql", 1)
    const { rows } = await driver.asOwner(async (ask) => {
      await ask("CREATE TABLE public.spread (place serial, name text)")
      // Stands in for Citus, which is not there: notes what it is given, in its order.
      await ask(`CREATE FUNCTION create_distributed_table(regclass, text, colocate_with text DEFAULT '') RETURNS void
                 LANGUAGE sql AS 'INSERT INTO public.spread (name) VALUES ($1::text)'`)
      for (const statement of sql.split(";").filter((text) => text.trim() !== "")) await ask(statement)
      return await ask(`
        SELECT name, place,
          (SELECT max(other.place) FROM pg_constraint JOIN public.spread AS other ON other.name = confrelid::regclass::text
           WHERE contype = 'f' AND conrelid = spread.name::regclass AND confrelid <> conrelid) AS after,
          (SELECT count(*)::int FROM pg_class WHERE relnamespace = 'drey'::regnamespace AND relkind = 'r') AS tables
        FROM public.spread`)
    })
    await driver.close()
    expect(rows).toHaveLength(Number(rows[0]?.tables) - 1) // all but schema_version, which stays where it is
    expect(rows.filter(({ place, after }) => after !== null && Number(after) > Number(place))).toEqual([])
  })

  test("the server of the compose file does not log in as a superuser, and every version is exact", async () => {
    const { database, drey } = parse(template("compose.yaml")).services
    const inline: string = drey.build.dockerfile_inline
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    expect(database.image).toMatch(/:\d+\.\d+\.\d+-pg\d+$/)
    expect(inline).toMatch(/^FROM node:\d+\.\d+\.\d+-/m)
    expect(inline).toContain(`--ignore-scripts drey@${version}\n`)
    const user = new URL(drey.environment.DREY_DATABASE_URL.replace(/\$\{[^}]*\}/g, "secret")).username
    expect(user).not.toBe(database.environment.POSTGRES_USER ?? "postgres")
    expect(database.volumes).toContain("./make-roles.sh:/docker-entrypoint-initdb.d/make-roles.sh:ro")
    const own = await startPostgres() // roles are of the whole server
    try {
      const env = environmentOf({
        PGHOST: "127.0.0.1",
        PGPORT: String(own.port),
        DREY_DATABASE_PASSWORD: "it's secret",
      })
      const { status, stderr } = spawnSync("sh", ["-e", "-c", template("make-roles.sh")], { env, encoding: "utf8" })
      expect([status, stderr]).toEqual([0, ""])
      const admin = postgresDriver(own.url)
      const { rows } = await admin.asOwner((ask) =>
        ask(
          "SELECT rolname, rolcanlogin FROM pg_roles WHERE rolname LIKE 'drey%' AND NOT (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb) ORDER BY 1",
        ),
      )
      await admin.close()
      expect(rows).toEqual([
        { rolname: "drey", rolcanlogin: true },
        { rolname: "drey_app", rolcanlogin: false },
      ])
      const url = own.url.replace("postgres@", `${user}@`).replace(/postgres$/, "drey")
      const server = await serveTeam(["--database-url", url, "--drain", "0", "--log-level", "warn"])
      await shareAsOwner(server)
      server.child.kill("SIGTERM")
      expect(await server.ended).toBe(0)
    } finally {
      await own.stop()
    }
  })

  test("the compose file and the unit start a server", async () => {
    const compose = parse(template("compose.yaml"))
    expect(Object.keys(compose.services)).toEqual(["database", "drey"])
    expect(compose.services.drey.depends_on).toEqual({ database: { condition: "service_healthy" } })
    const unit = /^ExecStart=\S+ (.*)$/m.exec(template("drey-team.service"))?.[1]?.split(" ") ?? []
    const url = await postgres.createDatabase("templates")
    for (const [at, args] of [compose.services.drey.command.slice(1), unit].entries()) {
      expect(args.slice(0, 2)).toEqual(["team", "serve"])
      const given = args
        .slice(2)
        .map((each: string) =>
          each.replace(/.*:4848$/, "127.0.0.1:0").replace(/^\$\{DREY_PUBLIC_URL:\?\}$/, "https://drey.example.com"),
        )
      const server = await serveTeam([...given, "--database-url", url, "--drain", "0"])
      expect(server.url).toBe("https://drey.example.com")
      expect(server.ownerLink === null).toBe(at === 1)
      server.child.kill("SIGTERM")
      expect(await server.ended).toBe(0)
    }
  })
})

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0

test.skipIf(!hasSystemd)("systemd finds no fault with the unit (needs systemd-analyze)", () => {
  const unit = template("drey-team.service").replace("/usr/local/bin/drey", process.execPath)
  const folder = makeRepository({ "drey-team.service": unit })
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", join(folder, "drey-team.service")], {
    encoding: "utf8",
  })
  expect([status, stderr]).toEqual([0, ""])
})

/** Comes in, and shares a memory; the token with which it did. */
async function shareAsOwner(server: Pick<ServedTeam, "url" | "ownerLink">): Promise<string> {
  const secret = await ownerToken(server)
  expect((await askTeam(server.url, secret, "/v1/memories", shared())).status).toBe(201)
  return secret
}

/** What was shared before the dump is there, who shared it is known, and the rows are protected as they were. */
async function expectRestored(server: ServedTeam, env: Record<string, string>): Promise<void> {
  const { TOKEN = "", DREY_DATABASE_URL = "" } = env
  expect(await listed(server.url, TOKEN)).toEqual([shared().text])
  const members = (await (await askTeam(server.url, TOKEN, "/v1/members")).json()) as { members: { name: string }[] }
  expect(members.members.map(({ name }) => name)).toEqual(["Kim"])
  const driver = postgresDriver(DREY_DATABASE_URL)
  expect(await driver.ask("SELECT 1 FROM memories")).toMatchObject({ rows: [] })
  expect(await driver.asOwner((ask) => ask("SELECT 1 FROM memories"))).toMatchObject({ rows: [] })
  expect(await driver.asOwner(checkTenancy)).toEqual([])
  await driver.close()
}

async function listed(url: string, secret: string): Promise<string[]> {
  const page = (await (await askTeam(url, secret, "/v1/memories")).json()) as { memories: { text: string }[] }
  return page.memories.map(({ text }) => text)
}
