import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { claudeSession } from "../../test/claude-session.ts"
import { claudeCode } from "../clients/claude-code/transcript.ts"
import { builtInPolicy } from "../formats/policy.ts"
import { sqliteStore } from "../memories/sqlite-store.ts"
import { testEpisode } from "../memories/test-store.ts"
import { openProjectFinder } from "./ingest.ts"
import { readTranscriptInto } from "./transcript-intake.ts"

/** A machine with the projects `shop` and `ledger`, both known, and a transcript that begins in the first. */
async function openDesk() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "drey-take-in-")))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const store = sqliteStore(join(home, "drey.db"))
  onTestFinished(() => store.close())
  const projects = ["shop", "ledger"].map((name) => ({ id: `p-${name}`, root: join(home, name), aliases: [] }))
  for (const { id, root } of projects) {
    mkdirSync(join(root, ".squad"), { recursive: true })
    await store.registerProject(id, root)
  }
  const findProject = openProjectFinder(projects)
  const session = claudeSession(home, { cwd: join(home, "shop"), session: "s-1", start: "2026-03-02T09:00:00Z" })
  const words = (text: string, given: object = {}) =>
    session.record({ type: "user", message: { role: "user", content: text }, ...given })
  return {
    home,
    store,
    words,
    takeIn: (wanted = ["p-shop", "p-ledger"]) =>
      readTranscriptInto(
        { store, policyOf: () => builtInPolicy },
        claudeCode,
        { client: "claude-code", path: session.path },
        {
          projectOf(directory) {
            const found = directory === undefined ? undefined : findProject(directory)
            return found && wanted.includes(found.id) ? found : undefined
          },
          onUnreadable: (message) => expect.fail(message),
        },
      ),
    /** Sessions with an open task: their project and messages. */
    open: async () =>
      (await store.openTasks()).map(({ session, project, events }) => [session, project, events.map((e) => e.summary)]),
  }
}

test("a session that moves to another repository stays with the project in which it began", async () => {
  const { home, words, takeIn, open } = await openDesk()
  words("add the invoice total")
  words("look how the other one does it", { cwd: join(home, "ledger") })
  await takeIn()
  expect(await open()).toEqual([["s-1", "p-shop", ["add the invoice total", "look how the other one does it"]]])
})

test("a session that is read further later, after its task was closed and it moved, still belongs to that project", async () => {
  const { home, store, words, takeIn, open } = await openDesk()
  words("add the invoice total")
  await takeIn()
  const [task] = await store.openTasks()
  if (!task) throw new Error("there is no open task")
  const { session, project } = task
  await store.takeIn({ open: [{ ...task, events: [] }], episodes: [testEpisode("a", { session, project })] })
  words("and now its tests", { cwd: join(home, "ledger") })
  words("in a folder of nobody", { cwd: "/nowhere" })
  await takeIn(["p-shop"])
  expect(await open()).toEqual([["s-1", "p-shop", ["and now its tests", "in a folder of nobody"]]])
})

test("the sessions of one transcript belong each to its own project, and those of other projects are left out", async () => {
  const { home, words, takeIn, open } = await openDesk()
  words("add the invoice total")
  words("close the year", { sessionId: "s-2", cwd: join(home, "ledger", "src") })
  words("write a poem", { sessionId: "s-3", cwd: home })
  await takeIn()
  expect(await open()).toEqual([
    ["s-1", "p-shop", ["add the invoice total"]],
    ["s-2", "p-ledger", ["close the year"]],
  ])
})

test("messages before the directory is known are kept, however many", async () => {
  const { words, takeIn, open } = await openDesk()
  words("add the invoice total", { cwd: undefined })
  words(`this is the log: ${"all is well. ".repeat(5000)}`, { cwd: undefined })
  words("and test it")
  expect(await takeIn()).toMatchObject({ events: 3 })
  expect(await open()).toMatchObject([
    ["s-1", "p-shop", ["add the invoice total", expect.stringContaining("the log"), "and test it"]],
  ])
})

test("a transcript without a directory belongs to no project yet: it is read, from its beginning, when it names one", async () => {
  const { words, takeIn, open } = await openDesk()
  words("add the invoice total", { cwd: undefined })
  expect(await takeIn()).toMatchObject({ records: 0, events: 0 })
  words("and test it")
  expect(await takeIn()).toMatchObject({ records: 2, events: 2 })
  expect(await open()).toEqual([["s-1", "p-shop", ["add the invoice total", "and test it"]]])
})

test("a transcript of another project is skipped", async () => {
  const { words, takeIn, open } = await openDesk()
  words("add the invoice total")
  expect(await takeIn(["p-ledger"])).toBeUndefined()
  expect(await open()).toEqual([])
})
