import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { type ClaudeSession, claudeSession } from "../../test/claude-session.ts"
import { claudeCode } from "../clients/claude-code/transcript.ts"
import type { Client, Transcript } from "../clients/client.ts"
import { DreyError } from "../errors.ts"
import { builtInPolicy } from "../formats/policy.ts"
import { sqliteStore } from "../memories/sqlite-store.ts"
import type { Writer } from "../memories/writer.ts"
import type { Ingestion } from "./ingest.ts"
import type { LearningParts, LearningProject } from "./learning-parts.ts"
import { openTranscriptScanner, openWakeUp, type TranscriptWatchOptions, watchTranscripts } from "./watch.ts"
import { rulesWriter } from "./writer/rules/rules-writer.ts"

const start = "2026-03-02T08:00:00Z"

type Desk = {
  project: LearningProject
  parts: LearningParts
  /** Paths of the transcripts that were opened, in this order. */
  opened: string[]
  told: string[]
  session(name: string, cwd?: string): ClaudeSession
  passMinutes(minutes: number): void
  /** Starts to watch. */
  watch(options?: Partial<TranscriptWatchOptions>): Watching
}

type Watching = {
  /** The next round that matches. */
  round(isIt: (ingestion: Ingestion) => boolean): Promise<Ingestion>
  end(): Promise<void>
}

/** A machine with one project, real transcripts, a real store, and a clock that a test moves. */
function desk({ writer = rulesWriter() }: { writer?: Writer } = {}): Desk {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "drey-watch-")))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const root = join(home, "shop")
  mkdirSync(join(root, ".squad"), { recursive: true })
  const project = { id: "p-shop", root }
  const store = sqliteStore(join(home, ".drey", "drey.db"))
  onTestFinished(() => store.close())
  let now = Date.parse(start)
  const opened: string[] = []
  const told: string[] = []
  const parts: LearningParts = {
    store,
    clients: [
      {
        ...claudeCode,
        read(transcript, from) {
          opened.push(transcript.path)
          return claudeCode.read(transcript, from)
        },
      },
    ],
    machine: { home, environment: {}, platform: "linux" },
    writer: async () => writer,
    policyOf: () => builtInPolicy,
    policyFor: () => builtInPolicy,
    pauseOf: () => undefined,
    likeness: undefined,
    owner: "ines",
    now: () => new Date(now),
    home: join(home, ".drey"),
    lockPath: join(home, ".drey", "run", "learning.lock"),
    warn: (message) => void told.push(message),
  }
  return {
    project,
    parts,
    opened,
    told,
    session: (name, cwd = root) => claudeSession(home, { cwd, session: name, start }),
    passMinutes(minutes) {
      now += minutes * 60_000
    },
    watch(options = {}) {
      const ending = new AbortController()
      let listeners: ((ingestion: Ingestion) => void)[] = []
      const ended = store.registerProject(project.id, root).then(() =>
        watchTranscripts(parts, {
          projects: async () => [project],
          pollMs: 10,
          signal: ending.signal,
          onRound(ingestion) {
            for (const listener of listeners) listener(ingestion)
          },
          ...options,
        }),
      )
      onTestFinished(async () => {
        ending.abort()
        await ended
      })
      return {
        round: (isIt) =>
          new Promise((resolve) => {
            const listener = (ingestion: Ingestion) => {
              if (!isIt(ingestion)) return
              listeners = listeners.filter((each) => each !== listener)
              resolve(ingestion)
            }
            listeners.push(listener)
          }),
        async end() {
          ending.abort()
          await ended
        },
      }
    },
  }
}

/** A task in which the user states a rule. */
function work(session: ClaudeSession): void {
  session.user("add the invoice total to the checkout page")
  session.run("npm install currency", "added 1 package")
  session.edit("src/checkout.ts")
  session.user("no, we always use pnpm in this repository, never npm")
  session.run("pnpm add currency", "done")
  session.edit("src/checkout.ts")
}

const hasEpisodes = ({ learned }: Ingestion) => learned.episodes > 0

async function texts({ parts, project }: Desk): Promise<string[]> {
  return (await parts.store.memories({ project: project.id })).map(({ text }) => text)
}

test("transcripts written while it watches are read, and learned from when the task is idle", async () => {
  const it = desk()
  const watching = it.watch()
  const read = watching.round(({ events }) => events > 0)
  work(it.session("one"))
  await read
  expect(await texts(it)).toEqual([])
  const learned = watching.round(hasEpisodes)
  it.passMinutes(12)
  expect((await learned).flushed).toEqual({ idle: 1 })
  expect((await texts(it)).join()).toContain("pnpm")
})

test("an unchanged transcript is not opened, and one of another project only once, however it grows", async () => {
  const it = desk()
  const quiet = it.session("quiet")
  work(quiet)
  const elsewhere = mkdtempSync(join(tmpdir(), "drey-elsewhere-"))
  onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }))
  mkdirSync(join(elsewhere, ".squad"))
  const other = it.session("other", elsewhere)
  work(other)
  const watching = it.watch()
  await watching.round(({ events }) => events > 0)
  it.opened.length = 0
  const next = watching.round(({ events }) => events > 0)
  work(other)
  const live = it.session("live")
  work(live)
  await next
  expect(new Set(it.opened)).toEqual(new Set([live.path]))
})

test("a partial line is left until it is complete", async () => {
  const it = desk()
  const session = it.session("one")
  session.user("first task of the day")
  const watching = it.watch()
  await watching.round(({ events }) => events === 1)
  const line = `${JSON.stringify({ type: "user", cwd: it.project.root, sessionId: "one", uuid: "u-2", timestamp: start, message: { role: "user", content: "second line" } })}\n`
  appendFileSync(session.path, line.slice(0, 40))
  await seen(it, session.path)
  const whole = watching.round(({ events }) => events > 0)
  appendFileSync(session.path, line.slice(40))
  expect((await whole).events).toBe(1)
})

test("at shutdown open tasks are closed, and the rules learn from them at once", async () => {
  const it = desk()
  const watching = it.watch()
  const read = watching.round(({ events }) => events > 0)
  work(it.session("one"))
  await read
  await watching.end()
  expect(await it.parts.store.openTasks()).toEqual([])
  const [memory] = await it.parts.store.memories({ project: it.project.id })
  const { evidence } = await it.parts.store.history(memory?.id ?? "")
  expect((await it.parts.store.episode(evidence[0]?.episode ?? ""))?.flushReason).toBe("shutdown")
})

test("at shutdown a model is not called any more: the episode waits, and no attempt is counted", async () => {
  let calls = 0
  const model: Writer = {
    id: "model:test",
    async write() {
      calls++
      return { kind: "written", operations: [], dropped: [] }
    },
  }
  const it = desk({ writer: model })
  const watching = it.watch()
  const read = watching.round(({ events }) => events > 0)
  work(it.session("one"))
  await read
  await watching.end()
  expect(calls).toBe(0)
  const [waiting] = await it.parts.store.waiting()
  expect(waiting?.flushReason).toBe("shutdown")
  expect((await it.parts.store.episode(waiting?.id ?? ""))?.attempts).toBe(0)
})

test("a running call is aborted at shutdown, and does not count as an attempt", async () => {
  let begun = () => {}
  const isCalled = new Promise<void>((resolve) => {
    begun = resolve
  })
  const slow: Writer = {
    id: "model:slow",
    write: (_input, signal) =>
      new Promise((resolve) => {
        signal?.addEventListener("abort", () => resolve({ kind: "later", reason: "broken off" }))
        begun()
      }),
  }
  const it = desk({ writer: slow })
  work(it.session("one"))
  it.passMinutes(12)
  const watching = it.watch()
  await isCalled
  await watching.end()
  const [waiting] = await it.parts.store.waiting()
  expect((await it.parts.store.episode(waiting?.id ?? ""))?.attempts).toBe(0)
})

test("an unavailable writer is not called for a while, however much is written meanwhile", async () => {
  let calls = 0
  const down: Writer = {
    id: "model:down",
    async write() {
      calls++
      return { kind: "later", reason: "no connection" }
    },
  }
  const it = desk({ writer: down })
  work(it.session("one"))
  it.passMinutes(12)
  const watching = it.watch()
  await watching.round(({ learned }) => learned.postponed.length > 0)
  expect(calls).toBe(1)
  const read = watching.round(({ events }) => events > 0)
  work(it.session("two"))
  await read
  expect(calls).toBe(1)
  const again = watching.round(({ learned }) => learned.postponed.length > 0)
  it.passMinutes(1)
  await again
  expect(calls).toBe(3) // the first one again, and what waits by now
})

test("a repeated error is reported once, and the watch continues when it is over", async () => {
  const it = desk()
  work(it.session("one"))
  let looks = 0
  const watching = it.watch({
    async projects() {
      if (++looks <= 3) throw new DreyError("the disk is away")
      return [it.project]
    },
  })
  await watching.round(({ events }) => events > 0)
  expect(it.told).toEqual(["the disk is away"])
})

test("a bug is reported with its location, once", async () => {
  const it = desk()
  work(it.session("one"))
  let looks = 0
  const watching = it.watch({
    async projects() {
      if (++looks <= 3) throw new TypeError("nothing has no name")
      return [it.project]
    },
  })
  await watching.round(({ events }) => events > 0)
  expect(it.told).toEqual([expect.stringMatching(/^TypeError: nothing has no name\n +at .*watch\.test\.ts/)])
})

test("a project with a broken policy is reported once, and the others are still watched", async () => {
  const it = desk()
  const broken = { id: "p-broken", root: join(it.parts.machine.home, "broken") }
  it.parts.policyOf = (root) => {
    if (root === broken.root) throw new DreyError("memory_policy.toml:1 is not TOML")
    return builtInPolicy
  }
  const watching = it.watch({ projects: async () => [broken, it.project] })
  for (const session of ["one", "two"]) {
    const read = watching.round(({ events }) => events > 0)
    work(it.session(session))
    await read
  }
  await watching.end()
  expect(it.told).toEqual([`learning is off in ${broken.root}: memory_policy.toml:1 is not TOML`])
})

test("expired memories end on time, even without any work", async () => {
  const it = desk()
  it.parts.policyFor = () => ({ ...builtInPolicy, decay: { default: { max_inactive_days: 2 } } })
  work(it.session("one"))
  it.passMinutes(12)
  const watching = it.watch()
  await watching.round(hasEpisodes)
  const statuses = async () => (await it.parts.store.memories({ project: it.project.id })).map(({ status }) => status)
  expect(await statuses()).toEqual(["provisional"])
  it.passMinutes(3 * 24 * 60)
  while ((await statuses())[0] !== "deprecated") await new Promise(setImmediate)
})

test("a project that is not watched for a while is read from its last position when it is again", async () => {
  const it = desk()
  const session = it.session("one")
  session.user("first task of the day")
  let projects: LearningProject[] = [it.project]
  const other = { id: "p-other", root: it.parts.machine.home }
  const watching = it.watch({ projects: async () => [...projects, other] })
  await watching.round(({ events }) => events === 1)
  projects = []
  session.user("something that is said in a pause")
  it.session("two").user("something else")
  const after = watching.round(({ events }) => events > 0)
  await seen(it, session.path)
  projects = [it.project]
  expect((await after).events).toBe(2)
})

/** Waits until a transcript was opened again. */
async function seen({ opened }: Desk, path: string): Promise<void> {
  const before = opened.filter((each) => each === path).length
  while (opened.filter((each) => each === path).length === before) await new Promise(setImmediate)
}

const veryLong = 3_600_000

function open() {
  const folder = mkdtempSync(join(tmpdir(), "drey-wake-"))
  const ending = new AbortController()
  const wakeUp = openWakeUp(ending.signal)
  onTestFinished(() => {
    wakeUp.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { folder, ending, wakeUp }
}

test("a file that changes in a watched folder ends the wait", async () => {
  const { folder, wakeUp } = open()
  wakeUp.listenTo([folder])
  const waiting = wakeUp.wait(veryLong)
  writeFileSync(join(folder, "session.jsonl"), "{}\n")
  await waiting
})

test("a change before the wait is not missed", async () => {
  const { folder, wakeUp } = open()
  wakeUp.listenTo([folder])
  writeFileSync(join(folder, "session.jsonl"), "{}\n")
  await wakeUp.wait(veryLong)
})

test("without any event the timeout ends the wait, and a missing folder does not matter", async () => {
  const { folder, wakeUp } = open()
  wakeUp.listenTo([join(folder, "nowhere")])
  const before = performance.now()
  await wakeUp.wait(30)
  expect(performance.now() - before).toBeGreaterThan(25)
})

test("the signal ends the wait, and every later one", async () => {
  const { ending, wakeUp } = open()
  const waiting = wakeUp.wait(veryLong)
  ending.abort()
  await waiting
  await wakeUp.wait(veryLong)
})

/** Polls these transcripts; `look` returns which have changed, and marks them as read. */
function openLooks(name: string, session?: string) {
  const folder = mkdtempSync(join(tmpdir(), "drey-looks-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const transcript: Transcript = { client: "opencode", path: join(folder, name), ...(session ? { session } : {}) }
  const client: Client = {
    id: "opencode",
    name: "Test",
    maturity: "proven",
    find: () => [transcript],
    recognises: () => false,
    read: async function* () {},
  }
  const looks = openTranscriptScanner({
    clients: [client],
    machine: { home: folder, environment: {}, platform: "linux" },
  })
  const look = ({ project = "p-1", isForeign = false } = {}) => {
    const changed = looks.changed([{ id: project, root: folder }])
    looks.noteRead(changed, new Set(isForeign ? changed.map((each) => each.transcript) : []))
    return changed.length
  }
  return { path: transcript.path, look }
}

test("a transcript is read when it is new, has grown, or was replaced by one of the same size", () => {
  const { path, look } = openLooks("session.jsonl")
  expect(look()).toBe(0)
  writeFileSync(path, "one\n")
  expect([look(), look()]).toEqual([1, 0])
  appendFileSync(path, "two\n")
  expect([look(), look()]).toEqual([1, 0])
  writeFileSync(`${path}.new`, "new\ntwo\n")
  renameSync(`${path}.new`, path)
  expect([look(), look()]).toEqual([1, 0])
})

test("the newest rows of a database are in its log: when that grows, its sessions are read", () => {
  const { path, look } = openLooks("opencode.db", "ses_1")
  writeFileSync(path, "a database")
  expect([look(), look()]).toEqual([1, 0])
  writeFileSync(`${path}-wal`, "a row")
  expect([look(), look()]).toEqual([1, 0])
})

test("one of another project is skipped however it grows, until there are other projects", () => {
  const { path, look } = openLooks("session.jsonl")
  writeFileSync(path, "one\n")
  expect(look({ isForeign: true })).toBe(1)
  appendFileSync(path, "two\n")
  expect(look()).toBe(0)
  expect(look({ project: "p-2" })).toBe(1)
})
