import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { beforeAll, expect, onTestFinished, test } from "vitest"
import { claudeSession } from "../../../test/claude-session.ts"
import { cliPath, makeRepository, writeFiles } from "../../../test/run-cli.ts"
import { trustForTest } from "../../../test/trust-for-test.ts"
import { ferryFiles } from "../../../test/ui/sample/ferry-files.ts"
import { capturedRules } from "../../src/agents/captured-rules.ts"
import { registerMcpServers } from "../../src/agents/mcp-servers.ts"
import { dreyBackend } from "../../src/backend/drey-backend.ts"
import { type DreyChange, startDrey } from "../../src/desktop/drey-process.ts"
import { findDrey } from "../../src/desktop/find-drey.ts"
import { startThread } from "../../src/desktop/worker-thread.ts"
import type { Team } from "../../src/teams.ts"
import { workerClient } from "../../src/worker-client.ts"

const program = { command: process.execPath, args: [cliPath] }
const l10n = {
  t: (message: string, ...args: unknown[]) => message.replace(/\{(\d)\}/g, (_, at) => String(args[at])),
} as never
const proposalPath = ".squad/decisions/inbox/mira-hold-time.md"

beforeAll(() => void execFileSync(process.execPath, ["vscode/build.mjs"]))

/** The desktop half over a real `drey` and a real worker thread, for the folder of a team that sells ferry tickets. */
async function connect(environment: Record<string, string> = {}) {
  const root = makeRepository(ferryFiles(Date.now()))
  const home = join(root, ".home")
  mkdirSync(home, { recursive: true })
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    DREY_HOME: join(home, ".drey"),
    DREY_USER: "ines",
    ...environment,
  }
  trustForTest(env.DREY_HOME, root)
  const worker = workerClient(async () => startThread(resolve("vscode/dist/worker.js")))
  const team = {
    root,
    folder: { name: "ferry", uri: { fsPath: root } },
    main: ".squad",
    rows: [],
    pathOf: () => undefined,
  } as unknown as Team
  const changes: DreyChange[] = []
  const listeners = new Set<(change: DreyChange) => void>()
  const child = startDrey({
    ...{ program, folder: root, environment: env },
    log: () => {},
    onChange(change) {
      changes.push(change)
      for (const listen of listeners) listen(change)
    },
  })
  const read = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined)
  const look = async () => {
    const paths = execFileSync("find", [".squad", "-name", "*.md", "-not", "-path", "*/.*/*"], {
      cwd: root,
      encoding: "utf8",
    })
    const files = paths
      .trim()
      .split("\n")
      .map((path) => ({ path, text: read(path) ?? null }))
    team.rows = (await worker.call("put", root, files)) ?? team.rows
    return team.rows
  }
  await look()
  const backend = dreyBackend({ call: child.call, l10n, save: async () => {} })
  onTestFinished(async () => {
    child.stop()
    worker.stop()
    await child.ended
  })
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [cliPath, ...args], {
      cwd: root,
      env,
      encoding: "utf8",
    })
    expect([status, stderr]).toEqual([0, expect.any(String)])
    return stdout
  }
  return { root, home, env, child, backend, team, look, read, run, listeners, worker }
}

test("a proposal accepted in the editor is accepted by Drey, and its journal undoes it", async () => {
  const { backend, team, read, run } = await connect()
  const proposal = team.rows.find(({ path }) => path === proposalPath)
  if (!proposal) throw new Error("the sample has a proposal")
  const before = [read(".squad/decisions.md"), read(proposalPath)]
  const accepted = await backend.accept(team, proposal)
  expect(accepted).toMatchObject({ kind: "done", undo: expect.any(String) })
  expect(read(proposalPath)).toBeUndefined()
  expect(run("undo", "--list")).toContain("accept")
  expect(await backend.accept(team, proposal)).toMatchObject({ kind: "refused" })
  expect(await backend.undo(team, "another")).toMatchObject({ kind: "refused" })
  expect(await backend.undo(team, accepted.kind === "done" ? accepted.undo : "")).toMatchObject({ kind: "done" })
  expect([read(".squad/decisions.md"), read(proposalPath)]).toEqual(before)
})

test("search finds by meaning what shares no word with the query; words alone do not", async () => {
  const { backend, team, worker, root } = await connect()
  const query = "the customer pays two times"
  expect((await worker.call("search", root, query)).rows).toEqual([])
  const { rows } = await backend.search(team, query, false)
  expect(rows[0]).toMatchObject({ title: expect.stringContaining("idempot"), path: expect.stringContaining(".squad/") })
  expect(await backend.search(team, "autor:ines", false)).toEqual({
    rows: [],
    problems: [expect.stringContaining("author:")],
  })
})

test("the log shows a session with its tasks and what it was handed, and learned memory says why", async () => {
  const { home, root, backend, team, run, child } = await connect()
  const session = claudeSession(home, {
    cwd: root,
    session: "s-one",
    start: new Date(Date.now() - 3_600_000).toISOString(),
  })
  session.user("add the invoice total to the checkout page")
  session.run("npm install currency", "added 1 package")
  session.edit("src/checkout.ts")
  session.user("no, we always use pnpm in this repository, never npm")
  session.run("pnpm add currency", "done")
  session.edit("src/checkout.ts")
  const task = { project_root: root, task: "add the invoice total to the checkout page", session_id: "s-one" }
  const handed = await child.call<{ entry_ids: string[] }>("get_task_context", task)
  run("ingest")
  run("flush")
  const [learned] = await backend.learned(team)
  expect(learned?.title).toMatch(/pnpm/)
  expect(await backend.why(team, learned?.id ?? "")).toMatch(/## Where it comes from\n\n- “.*pnpm/)
  const [row] = await backend.log(team)
  expect(row?.items.map(({ label }) => label)).toEqual(
    expect.arrayContaining(["add the invoice total to the checkout page", expect.stringMatching(/^\d+ handed over$/)]),
  )
  expect(row?.items.find(({ icon }) => icon === "export")?.items?.length).toBeGreaterThan(0)
  expect(await backend.uses(team, handed.entry_ids[0] ?? "")).toMatchObject({ handed: 1 })
  expect(await backend.health(team)).toMatchObject({ trusted: true, latest: { count: expect.any(Number) } })
  expect(await backend.forget(team, learned?.id ?? "")).toMatchObject({ kind: "done" })
  expect((await backend.learned(team))[0]?.status).toBe("ended")
  expect(await backend.undo(team)).toMatchObject({ kind: "done" })
  expect((await backend.learned(team))[0]?.status).not.toBe("ended")
})

test("a context preview names each item with its reason, and quotes it so that no markup of it takes effect", async () => {
  const { backend, team } = await connect()
  const text = await backend.context(team, "add a retry to the payment client", ["src/payments.ts"])
  expect(text).toMatch(/tokens, \d+ items/)
  expect(text).toContain("## Why each is in it")
  expect(text.indexOf("```markdown")).toBeLessThan(text.indexOf("<drey-context"))
})

test("a rule that the user stated to an agent is shown, and Undo takes it out, also when something came after it", async () => {
  const { backend, team, child, run, read, listeners } = await connect()
  await backend.health(team) // the project is known from now on
  const before = read(".squad/decisions.md")
  const shown: string[] = []
  const window = {
    showInformationMessage: async (message: string, ...buttons: string[]) => {
      shown.push(message)
      return buttons[0]
    },
    showErrorMessage: async (message: string) => void shown.push(message),
  } as never
  const rules = capturedRules({ teams: { all: () => [team] }, call: child.call, backend, window, l10n })
  const capture = async (text: string, afterwards = () => {}) => {
    const appeared = new Promise<DreyChange>((resolve) =>
      listeners.add(
        (change) => change.event === "appeared" && change.title.includes(text.slice(-8)) && resolve(change),
      ),
    )
    run("directive", text, "--author", "ines")
    afterwards()
    await rules.look(await appeared)
  }
  await capture("Always print tickets on A6 paper")
  expect(shown).toEqual([expect.stringContaining("Always print tickets on A6 paper"), expect.stringContaining("Undid")])
  expect(read(".squad/decisions.md")).toBe(before)
  await capture("Never charge a card before boarding", () => void run("remember", "--note", "Ferries have names"))
  expect(read(".squad/decisions.md")).not.toContain("before boarding")
  expect(read(".squad/decisions.md")).toContain("Ferries have names")
})

test("the MCP server that the editor is offered starts, for the right folder, and lists its tools", async () => {
  const { root, env } = await connect()
  let provided: () => unknown[] = () => []
  class McpStdioServerDefinition {
    readonly parts: unknown[]
    constructor(...parts: unknown[]) {
      this.parts = parts
    }
  }
  const editor = {
    lm: {
      registerMcpServerDefinitionProvider(id: string, provider: { provideMcpServerDefinitions(): unknown[] }) {
        expect(id).toBe("drey")
        provided = () => provider.provideMcpServerDefinitions()
        return { dispose() {} }
      },
    },
    McpStdioServerDefinition,
  }
  const server = {
    label: "Drey",
    command: program.command,
    args: [...program.args, "mcp", "--root", root],
    version: "1",
    cwd: root,
  }
  registerMcpServers(editor, { onDidChange: () => ({ dispose() {} }), servers: () => [server] })
  const [definition] = provided() as McpStdioServerDefinition[]
  const [, command, args] = (definition?.parts ?? []) as [string, string, string[]]
  const client = new Client({ name: "editor", version: "1" })
  await client.connect(new StdioClientTransport({ command, args, env, stderr: "ignore" }))
  const { tools } = await client.listTools()
  await client.close()
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["memory_search"]))
  expect(() => registerMcpServers({}, { onDidChange: () => ({ dispose() {} }), servers: () => [server] })).not.toThrow()
})

test("an editor started from an agent's terminal still acts for its user; the agent itself is refused", async () => {
  const { backend, team, env, root } = await connect({ CLAUDECODE: "1" })
  expect(await backend.remember(team, { type: "note", text: "Ferries have names", author: "ines" })).toMatchObject({
    kind: "done",
  })
  const asAgent = spawnSync(process.execPath, [cliPath, "watch", "--stdio"], {
    cwd: root,
    env: { ...env, CLAUDECODE: "1" },
    input: "",
  })
  expect([asAgent.status, asAgent.stderr.toString()]).toEqual([1, expect.stringContaining("only the user can")])
})

test("when the process ends, what was asked fails with the reason; a program that is not drey is reported", async () => {
  const { child, team, backend } = await connect()
  await backend.health(team)
  const asked = expect(child.call("shutdown", {})).resolves.toEqual({ stopping: true })
  await asked
  expect(await child.ended).toMatch(/exit code 0/)
  await expect(child.call("status", {})).rejects.toThrow("not running")
  const other = startDrey({
    program: { command: process.execPath, args: ["-e", "console.error('error: unknown option'); process.exit(2)"] },
    ...{ folder: ".", environment: process.env as Record<string, string>, onChange() {}, log() {} },
  })
  await expect(other.call("status", {})).rejects.toThrow("unknown option")
  const none = startDrey({
    program: { command: "/no/such/drey", args: [] },
    folder: ".",
    environment: {},
    onChange() {},
    log() {},
  })
  await expect(none.call("status", {})).rejects.toThrow("ENOENT")
})

test("drey is found by the setting, in a folder's packages, and on the path, in this order", () => {
  const root = makeRepository({ "own/drey": "", "node_modules/.bin/drey": "", "bin/drey": "" })
  writeFiles(root, { "own/cli.cjs": "" })
  const environment = { PATH: `relative:${join(root, "bin")}` }
  const command = (setting: string, folders = [root]) => {
    const found = findDrey(setting, folders, environment)
    return found.kind === "found" ? [found.program.command, ...found.program.args].join(" ") : found.reason
  }
  expect(command("own/drey")).toBe(join(root, "own/drey"))
  expect(command(join(root, "own/cli.cjs"))).toBe(`node ${join(root, "own/cli.cjs")}`)
  expect(command("own/none")).toContain("not a file")
  expect(command("")).toBe(join(root, "node_modules/.bin/drey"))
  expect(command("", [])).toBe(join(root, "bin/drey"))
  expect(findDrey("", [], {})).toMatchObject({ kind: "missing" })
})
