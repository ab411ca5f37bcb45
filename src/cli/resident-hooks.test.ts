import { chmodSync, existsSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, join, resolve } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { legacyEntry, semEntry } from "../../test/legacy-fixtures.ts"
import { makeRepository } from "../../test/run-cli.ts"
import { openDrey } from "../drey.ts"
import { keepOpen } from "../hooks/fast-answer.ts"
import { openResidentAnswers } from "../hooks/resident-answers.ts"
import { runHook } from "../hooks/run-hook.ts"
import { hookLimits } from "../hooks/team-size.ts"
import { askResident } from "../rpc/ask-resident.ts"
import { listen } from "../rpc/listener.ts"
import { answerHooks } from "../rpc/resident.ts"
import { callRpc } from "../rpc/rpc-client.ts"
import { socketPathOf } from "../rpc/socket.ts"

const decisions = ".squad/decisions.md"
const question = "Which port does the proxy listen on?"

async function openPlace() {
  const root = makeRepository({
    [decisions]: `# Decisions\n\n${semEntry("2026-01-05T09:00:01Z", "decision", "The proxy listens on port 8080")}`,
    ".squad/team.md": "# Team\n",
  })
  const environment = { DREY_HOME: makeRepository({}), PATH: process.env.PATH }
  const reindex = async () => {
    const drey = openDrey({ root, environment, warn: () => {} })
    await drey.search.reindex()
    await drey.close()
  }
  await reindex()
  const path = socketPathOf(environment, process.platform, "hooks")
  let session = 0
  /** One prompt of a session of its own, less the id of the task, which is another each time. */
  const hook = (prompt: string) => {
    const input = { session_id: `s-${++session}`, cwd: root, prompt }
    return { client: "claude-code", event: "UserPromptSubmit", input, environment, cwd: root }
  }
  const plain = (text: string | undefined) => text?.replace(/t-[0-9a-f]{12}/g, "t-")
  const ask = async (prompt = question, version = "1") => plain(await askResident(hook(prompt), version))
  const cold = async (prompt = question) => {
    const { input, ...rest } = hook(prompt)
    return plain(await runHook({ ...rest, readInput: async () => input, program: "none" }))
  }
  const start = async () => {
    const answers = openResidentAnswers("none")
    const resident = answerHooks({ environment, version: "1", answer: answers.answer })
    let isOpen = true
    const close = async () => {
      if (isOpen) await resident.close()
      if (isOpen) await answers.close()
      isOpen = false
    }
    onTestFinished(close)
    return { ready: resident.ready, close }
  }
  return { root, environment, path, ask, cold, start, reindex }
}

test("a prompt gets the same answer from a resident process as from the hook itself, whatever changed meanwhile", async () => {
  const { root, environment, ask, cold, start, reindex } = await openPlace()
  const { ready } = await start()
  await ready
  const first = await ask()
  expect(first).toContain("port 8080")
  expect(first).toBe(await cold())

  const path = join(root, decisions)
  writeFileSync(path, readFileSync(path, "utf8").replace("8080", "9090"))
  expect(await ask()).toContain("port 9090")
  expect(await ask()).toBe(await cold())

  rmSync(join(environment.DREY_HOME, "index"), { recursive: true })
  await reindex() // the files of the index are others now
  writeFileSync(path, `${readFileSync(path, "utf8")}\n${legacyEntry("2026-02-05", "The proxy logs to port 514")}`)
  expect(await ask()).toContain("port 514")
  expect(await ask()).toBe(await cold())

  writeFileSync(path, "# Decisions\n")
  expect(await ask()).not.toContain("port")
  expect(await ask()).toBe(await cold())
})

test("what a prompt says of rules is left to the process that the client has started, as is a hook without a folder of its own", async () => {
  const { ask, start, path, environment } = await openPlace()
  await (await start()).ready
  expect(await ask("Always use tabs in this repository.")).toBeUndefined()
  const input = { session_id: "s", prompt: question }
  const hook = { client: "claude-code", event: "UserPromptSubmit", input, environment, cwd: dirname(path) }
  expect(await askResident(hook, "1")).toBeUndefined()
  expect(await askResident({ ...hook, input: { ...input, cwd: "." } }, "1")).toBeUndefined()
  expect(
    await askResident({ ...hook, event: "SessionStart", input: { session_id: "s", cwd: "/" } }, "1"),
  ).toBeUndefined()
})

test("without a resident process, with a dead socket, or with one of another version, the hook answers by itself", async () => {
  const { ask, start, path } = await openPlace()
  expect(await ask()).toBeUndefined()

  const { ready, close } = await start()
  await ready
  expect(await ask(question, "2")).toBeUndefined()
  expect(await ask(question, "1")).toContain("port 8080")
  await close()
  expect(existsSync(path)).toBe(false)

  const killed = createServer()
  await new Promise<void>((resolve) => killed.listen(`${path}-killed`, resolve))
  renameSync(`${path}-killed`, path)
  await new Promise((resolve) => killed.close(resolve))
  expect(lstatSync(path).isSocket()).toBe(true)
  expect(await ask()).toBeUndefined()

  await (await start()).ready
  expect(await ask()).toContain("port 8080")
})

test("one process answers, and the next one does when it has ended", async () => {
  const { ask, start, path } = await openPlace()
  const first = await start()
  await first.ready
  const { ino } = lstatSync(path)
  const second = await start()
  await second.ready
  expect(lstatSync(path).ino).toBe(ino)
  await second.close()
  expect(await ask()).toContain("port 8080")
  await first.close()
  await (await start()).ready
  expect(await ask()).toContain("port 8080")
})

test("only a private socket of this user is asked", async () => {
  const { ask, start, path } = await openPlace()
  await (await start()).ready
  expect(lstatSync(path).mode & 0o777).toBe(0o600)
  expect(lstatSync(dirname(path)).mode & 0o777).toBe(0o700)
  chmodSync(dirname(path), 0o755)
  expect(await ask()).toBeUndefined()
  chmodSync(dirname(path), 0o700)
  expect(await ask()).toContain("port 8080")
})

test("a process that answers keeps its own environment, whatever a caller sends: it starts others with it", async () => {
  const own = { DREY_HOME: makeRepository({}), PATH: "/own", DREY_USER: "own", DREY_TEAM_ROOT: "/own" }
  const asked: NodeJS.ProcessEnv[] = []
  const answer = async ({ environment }: { environment: NodeJS.ProcessEnv }) => {
    asked.push(environment)
    return ""
  }
  const resident = answerHooks({ environment: own, version: "1", answer })
  onTestFinished(resident.close)
  await resident.ready
  const hostile = {
    ...own,
    NODE_OPTIONS: "--require ./theirs.cjs",
    PATH: ".",
    DREY_HOME: "/theirs",
    DREY_LOG_FILE: "a",
  }
  const request = { client: "claude-code", event: "UserPromptSubmit", input: {}, cwd: "/", environment: hostile }
  await callRpc(socketPathOf(own, process.platform, "hooks"), "hook", { ...request, version: "1" })
  const sent = { DREY_HOME: own.DREY_HOME, NODE_OPTIONS: "--inspect", DREY_TEAM_ROOT: ".", DREY_HOOK_MS: "50" }
  await askResident({ ...request, environment: sent }, "1")
  expect(asked).toEqual([
    own,
    { DREY_HOME: own.DREY_HOME, PATH: "/own", DREY_TEAM_ROOT: resolve("."), DREY_HOOK_MS: "50" },
  ])
})

test("what a hook opened in a process that answers several is closed, also where the index is out of date", async () => {
  const { root, environment } = await openPlace()
  const kept = keepOpen()
  onTestFinished(kept.close)
  let open = 0
  const reader: typeof kept.reader = (...given) => {
    const opened = kept.reader(...given)
    if (!opened) return undefined
    open++
    const close = async () => {
      open--
      await opened.close()
    }
    return { ...opened, close }
  }
  const ask = (session: string, limits = hookLimits) => {
    const input = { session_id: session, cwd: root, prompt: question }
    const hook = { client: "claude-code", event: "UserPromptSubmit", readInput: async () => input, environment, limits }
    return runHook({ ...hook, program: "none", kept: { ...kept, reader } })
  }
  writeFileSync(join(root, decisions), "# Decisions\n")
  await ask("stale")
  expect(open).toBe(0)
  await ask("large", { bytes: 1, files: 1000, waitMs: 1 })
  expect(open).toBe(0)
})

test("a hook answers by itself when asking fails, and when the process that it asks is stuck", async () => {
  const { path, environment, cold, root } = await openPlace()
  const input = { session_id: "failed", cwd: root, prompt: question }
  const hook = { client: "claude-code", event: "UserPromptSubmit", environment }
  const failing = async () => {
    throw new Error("the folder of the socket cannot be read")
  }
  const answer = await runHook({ ...hook, readInput: async () => input, program: "none", ask: failing })
  expect(answer.replace(/t-[0-9a-f]{12}/g, "t-")).toBe(await cold())

  const stuck = await listen(path, { version: async () => "1", hook: () => new Promise(() => {}) }, () => {})
  onTestFinished(stuck.close)
  const impatient = { ...environment, DREY_HOOK_MS: "1" }
  expect(await askResident({ ...hook, environment: impatient, input, cwd: root }, "1")).toBeUndefined()
})
