import { once } from "node:events"
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { expect, onTestFinished, test } from "vitest"
import { callRpc } from "../src/rpc/rpc-client.ts"
import { claudeSession } from "./claude-session.ts"
import { type CliResult, makeRepository, runCli, startCli, writeFiles } from "./run-cli.ts"
import { trustForTest } from "./trust-for-test.ts"

type Place = { home: string; root: string; env: Record<string, string>; run: (...args: string[]) => Promise<CliResult> }

/** A user's home and a repository; a watch that still runs when the test is over is ended. */
function place(): Place {
  const home = realpathSync(makeRepository({}))
  const root = realpathSync(makeRepository({ ".squad/decisions.md": "" }))
  const env = { HOME: home, DREY_HOME: join(home, ".drey") }
  trustForTest(env.DREY_HOME, root)
  const run = (...args: string[]) => runCli(args, { cwd: root, env })
  onTestFinished(async () => void (await run("watch", "--stop")))
  return { home, root, env, run }
}

/** Yesterday's task in which the user states a rule: idle for long enough to be learned from at the next look. */
function work({ home, root }: Place, name: string): void {
  const start = new Date(Date.now() - 86_400_000).toISOString()
  const session = claudeSession(home, { cwd: root, session: name, start })
  session.user("add the invoice total to the checkout page")
  session.run("npm install currency", "added 1 package")
  session.user("no, we always use pnpm in this repository, never npm")
  session.run("pnpm add currency", "done")
}

/** The lines of a stream, one at a time, and those that came so far. */
function linesOf(stream: Readable): { next: () => Promise<string>; all: string[] } {
  const all: string[] = []
  const lines = createInterface({ input: stream })
    .on("line", (line) => void all.push(line))
    [Symbol.asyncIterator]()
  return { all, next: async () => (await lines.next()).value ?? expect.unreachable("the stream has ended") }
}

test("watch --json prints every memory and entry that appears, a line of JSON each and nothing else, until Ctrl-C", async () => {
  const it = place()
  const child = startCli(["watch", "--json", "--every", "1"], { cwd: it.root, env: it.env })
  const [told, output] = [linesOf(child.stderr), linesOf(child.stdout)]
  expect(await told.next()).toMatch(/^Watching 1 project; process \d+, socket \//)
  expect(await told.next()).toBe(`  ${it.root}`)
  work(it, "one")
  expect(JSON.parse(await output.next())).toMatchObject({
    event: "appeared",
    what: "memory",
    title: expect.stringContaining("pnpm"),
    status: "provisional",
  })
  writeFiles(it.root, {
    ".squad/decisions.md": "### 2026-02-01T10:00:00Z: decision: Use doors\n\nDoors, not windows.\n",
  })
  expect(JSON.parse(await output.next())).toMatchObject({ event: "appeared", what: "entry", title: "Use doors" })
  child.kill("SIGINT")
  expect(await once(child, "close")).toEqual([0, null])
  expect(output.all.map((line) => JSON.parse(line).event)).toEqual(["appeared", "appeared"])
  expect(told.all.at(-1)).toBe("Stopped.")
})

test("as text there is a line for each item, and SIGTERM stops it too", async () => {
  const it = place()
  const child = startCli(["watch"], { cwd: it.root, env: it.env })
  const output = linesOf(child.stdout)
  await linesOf(child.stderr).next()
  work(it, "one")
  expect(await output.next()).toMatch(/^new {6}memory \[m:[0-9a-f]{6}\] .*pnpm.* \(provisional, .+\)$/)
  child.kill("SIGTERM")
  expect(await once(child, "close")).toEqual([0, null])
})

test("watch --detach survives its terminal, runs once, reports its socket, and stops on request", async () => {
  const it = place()
  expect(await it.run("watch", "--status")).toMatchObject({ code: 1, stdout: "No watch is running.\n" })
  const started = JSON.parse((await it.run("watch", "--detach", "--json")).stdout)
  expect(started).toMatchObject({ isNew: true, projects: [{ root: it.root }] })
  expect(started.pid).not.toBe(process.pid)
  const second = await it.run("watch", "--detach")
  expect(second).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Already watching in the background: process ${started.pid},`),
  })
  const third = await it.run("watch")
  expect(third).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`A watch is already running: process ${started.pid},`),
  })
  expect(JSON.parse((await it.run("watch", "--status", "--json")).stdout)).toMatchObject({
    running: true,
    pid: started.pid,
  })
  work(it, "one")
  await callRpc(started.socket, "flush", { project_root: it.root })
  expect((await it.run("status", "--json")).stdout).toContain("pnpm")
  expect(await it.run("watch", "--stop")).toMatchObject({ code: 0, stdout: `Stopped process ${started.pid}.\n` })
  expect(existsSync(started.socket)).toBe(false)
  expect(await it.run("watch", "--stop")).toMatchObject({ code: 0, stdout: "No watch is running.\n" })
})

test("only the user can access its log, socket and folder, and the log lists what was watched", async () => {
  const it = place()
  const { socket } = JSON.parse((await it.run("watch", "--detach", "--json")).stdout)
  const folder = join(it.home, ".drey", "run")
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
  expect([mode(folder), mode(socket), mode(join(folder, "watch.log"))]).toEqual(["700", "600", "600"])
  await it.run("watch", "--stop")
  expect(readFileSync(join(folder, "watch.log"), "utf8")).toMatch(/Watching 1 project;[\s\S]*Stopped\.\n$/)
})

test("after kill -9 the next start replaces what was left behind", async () => {
  const it = place()
  const first = JSON.parse((await it.run("watch", "--detach", "--json")).stdout)
  process.kill(first.pid, "SIGKILL")
  const second = JSON.parse((await it.run("watch", "--detach", "--json")).stdout)
  expect(second).toMatchObject({ isNew: true, socket: first.socket })
  expect(second.pid).not.toBe(first.pid)
  expect(await callRpc(second.socket, "status")).toMatchObject({ pid: second.pid })
})

test("several started at the same moment agree on one", async () => {
  const it = place()
  const starts = await Promise.all(Array.from({ length: 4 }, () => it.run("watch", "--detach", "--json")))
  const pids = starts.map(({ stdout }) => JSON.parse(stdout).pid)
  expect(new Set(pids).size).toBe(1)
})

test("a second project that is started from joins the watch that runs", async () => {
  const it = place()
  await it.run("watch", "--detach")
  const other = realpathSync(makeRepository({ ".squad/decisions.md": "" }))
  trustForTest(it.env.DREY_HOME ?? "", other)
  const joined = await runCli(["watch", "--detach", "--json"], { cwd: other, env: it.env })
  const roots = JSON.parse(joined.stdout).projects.map(({ root }: { root: string }) => root)
  expect(roots.sort()).toEqual([it.root, other].sort())
})

test("while paused nothing is read, every command says so, and resume continues where it stopped", async () => {
  const it = place()
  work(it, "one")
  expect((await it.run("pause", "--project")).stdout).toContain("paused in this project")
  expect((await it.run("ingest")).stdout).toMatch(
    /^Learning is paused in .* since 20.*Resume it with "drey learn on --project"\.\n$/,
  )
  expect((await it.run("flush")).stdout).toContain("Learning is paused")
  expect((await it.run("status")).stdout).toContain("Learning is paused")
  expect(JSON.parse((await it.run("ingest", "--json")).stdout)).toMatchObject({
    records: 0,
    paused: [{ of: "project" }],
  })
  expect((await it.run("resume")).stdout).toContain("To end that pause: drey learn on --project")
  expect((await it.run("resume", "--project")).stdout).toBe("Learning resumed.\n")
  expect(JSON.parse((await it.run("ingest", "--json")).stdout)).toMatchObject({ files: 1, memories: 1, paused: [] })
})
