import { readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { makeRepository } from "../../../test/run-cli.ts"
import type { Position } from "../../formats/client-events.ts"
import type { Transcript } from "../client.ts"
import { testClient } from "../transcripts/client-contract.ts"
import { findIn, readBatches, readEvents, writeTo } from "../transcripts/test-reading.ts"
import {
  addMessage,
  answered,
  began,
  databasePath,
  type Message,
  makeDatabase,
  makeTree,
  type Part,
  said,
  sessionStory,
  tool,
  words,
} from "./test-opencode.ts"
import { opencode } from "./transcript.ts"

describe("the database", () => {
  testClient(opencode, { install: (home) => makeDatabase(home, { ses_1: sessionStory }).close() })

  test("a database in use includes its write-ahead log", async () => {
    const { home, database } = opened({ ses_1: sessionStory })
    onTestFinished(() => database.close())
    expect(readdirSync(dirname(databasePath(home)))).toContain("opencode.db-wal")
    const [transcript] = find(home)
    expect(await eventsOf(transcript)).toHaveLength(10)
  })

  test("accounts and credentials beside the sessions are never read", async () => {
    const { home, database } = opened({ ses_1: sessionStory })
    database.exec("CREATE TABLE credential (id TEXT PRIMARY KEY, value TEXT); CREATE TABLE account (access_token TEXT)")
    database.exec("INSERT INTO credential VALUES ('c', 'TRAP'); INSERT INTO account VALUES ('TRAP')")
    database.exec("INSERT INTO session_share VALUES ('ses_1', 'TRAP')")
    database.close()
    expect(JSON.stringify(await Promise.all(find(home).map((each) => eventsOf(each))))).not.toContain("TRAP")
  })

  test("a session is read again only when one of its parts changed", async () => {
    const { home, database } = opened({
      ses_1: sessionStory,
      ses_2: [said("msg_9", 9, { type: "text", text: "Hello" })],
    })
    onTestFinished(() => database.close())
    const [first, second] = find(home)
    const positions = [(await read(first))[0]?.position, (await read(second))[0]?.position]
    addMessage(database, "ses_2", answered("msg_10", 10, words("Hello yourself.")))
    const later = await read(first, positions[0])
    expect(later.flatMap(({ events }) => events)).toEqual([])
    expect(await eventsOf(second, positions[1])).toHaveLength(2)
    expect(await read(first, later.at(-1)?.position)).toEqual([]) // not even opened
  })

  test("copies in a fork have the ids of the originals", async () => {
    const copies = sessionStory.map((message, index) => ({ ...message, id: `msg_fork_${index}` }))
    const { home, database } = opened({
      ses_1: sessionStory,
      ses_2: [...copies, said("msg_9", 9, { type: "text", text: "And now?" })],
    })
    database.close()
    const [first = [], second = []] = await Promise.all(find(home).map((each) => eventsOf(each)))
    const known = new Set(first.map(({ id }) => id))
    expect(second.filter(({ id }) => !known.has(id)).map(({ text }) => text)).toEqual(["And now?"])
  })

  test("a sub-agent's work names its parent, and its task is not taken for the user's words", async () => {
    const { home, database } = opened({
      ses_1: sessionStory,
      ses_2: sessionStory.map((each) => ({ ...each, id: `${each.id}_2`, info: { ...each.info, agent: "explore" } })),
    })
    database.exec("UPDATE session SET parent_id = 'ses_1' WHERE id = 'ses_2'")
    database.close()
    const [own = [], delegated = []] = await Promise.all(find(home).map((each) => eventsOf(each)))
    expect(delegated.length).toBe(own.length)
    expect(own.some(({ role }) => role === "user")).toBe(true)
    expect(own.every(({ agent }) => agent === undefined)).toBe(true)
    expect(delegated.some(({ role, kind }) => role === "user" && kind === "message")).toBe(false)
    expect(new Set(delegated.map(({ agent }) => JSON.stringify(agent)))).toEqual(
      new Set(['{"parent":"ses_1","name":"explore"}']),
    )
  })

  test("an unfinished message is read once it is complete", async () => {
    const growing = answered("msg_2", 1, words("First,"), { type: "text", text: "sec", time: { start: began } })
    const { home, database } = opened({
      ses_1: [
        said("msg_1", 0, { type: "text", text: "Go" }),
        { ...growing, info: { ...growing.info, time: { created: began } } },
      ],
    })
    onTestFinished(() => database.close())
    const [transcript] = find(home)
    const batches = await read(transcript)
    expect(batches.flatMap(({ events }) => events).map(({ text }) => text)).toEqual(["Go", "First,"])
    database
      .prepare("UPDATE part SET data = ?, time_updated = 99 WHERE data LIKE '%\"sec\"%'")
      .run(JSON.stringify(words("second.")))
    const after = await read(transcript, batches.at(-1)?.position)
    expect(after.flatMap(({ events }) => events).map(({ text }) => text)).toEqual(["Go", "First,", "second."])
  })

  test("a call cut off by the end of the program has no result", async () => {
    const cut = answered("msg_2", 1, tool("bash", "call_1", { status: "running", input: { command: "sleep 99" } }))
    const { home, database } = opened({
      ses_1: [said("msg_1", 0, { type: "text", text: "Go" }), cut, said("msg_3", 2, { type: "text", text: "On" })],
    })
    database.close()
    expect((await eventsOf(find(home)[0])).map(({ kind }) => kind)).toEqual(["message", "tool_call", "message"])
  })

  test.each([
    ["refused", "The user rejected permission to use this specific tool call."],
    ["interrupted", "Tool execution aborted"],
  ])("a call that was %s is not an error", async (incident, error) => {
    const message = answered("msg_1", 0, tool("bash", "call_1", { status: "error", input: { command: "rm x" }, error }))
    const { home, database } = opened({ ses_1: [message] })
    database.close()
    const [, result] = await eventsOf(find(home)[0])
    expect(result).toMatchObject({ kind: "tool_result", incident })
    expect(result?.isError).toBeUndefined()
  })

  test("an answer that the user stopped is one interruption", async () => {
    const aborted = (...parts: Part[]) => {
      const message = answered("msg_1", 0, ...parts)
      return { ...message, info: { ...message.info, error: { name: "MessageAbortedError", data: {} } } }
    }
    const running = tool("bash", "call_1", {
      status: "error",
      input: { command: "make" },
      error: "Tool execution aborted",
    })
    for (const message of [aborted(words("I will")), aborted(running)]) {
      const { home, database } = opened({ ses_1: [message] })
      database.close()
      const events = await eventsOf(find(home)[0])
      expect(events.filter(({ incident }) => incident === "interrupted")).toHaveLength(1)
    }
  })

  test("a compaction is marked, and its summary is not read", async () => {
    const summary = answered("msg_2", 1, words("The user wants tabs everywhere."))
    const { home, database } = opened({
      ses_1: [
        said("msg_1", 0, { type: "compaction", auto: true }),
        { ...summary, info: { ...summary.info, summary: true } },
      ],
    })
    database.close()
    expect(await eventsOf(find(home)[0])).toEqual([expect.objectContaining({ kind: "mark", mark: "compacted" })])
  })

  test("Drey's own question to a model is not read", async () => {
    const { home, database } = opened({
      ses_1: [said("msg_1", 0, { type: "text", text: "<drey-writer>Read this" }), answered("msg_2", 1, words("{}"))],
    })
    database.close()
    expect(await eventsOf(find(home)[0])).toEqual([])
  })

  test("quotes are removed from a prompt only when they enclose all of a single line", async () => {
    const prompts = ['"say \\"hi\\" twice"', '"a" and "b"', '"', '"Report.\nNever greet anyone."']
    const { home, database } = opened({
      ses_1: prompts.map((text, index) => said(`msg_${index}`, index, { type: "text", text })),
    })
    database.close()
    expect((await eventsOf(find(home)[0])).map(({ text }) => text)).toEqual(['say "hi" twice', ...prompts.slice(1)])
  })

  test("unknown kinds of parts are counted", async () => {
    const { home, database } = opened({ ses_1: [answered("msg_1", 0, { type: "hologram" }, words("Hi"))] })
    database.close()
    const [batch] = await read(find(home)[0])
    expect(batch).toMatchObject({ unknown: { "part/hologram": 1 }, events: [{ text: "Hi" }] })
  })

  test("a locked database yields nothing now, and is read again later", async () => {
    const { home, database } = opened({ ses_1: sessionStory })
    const transcript: Transcript = { client: "opencode", path: databasePath(home), session: "ses_1" }
    database.exec("PRAGMA journal_mode = DELETE")
    database.exec("BEGIN EXCLUSIVE")
    expect(find(home)).toEqual([])
    const [batch] = await read(transcript)
    expect(batch).toMatchObject({ events: [], unknown: { unreadable: 1 } })
    database.exec("COMMIT")
    database.close()
    expect(await eventsOf(transcript, batch?.position)).toHaveLength(10)
  })

  test("a database with other tables is not read", async () => {
    const { home, database } = opened({ ses_1: sessionStory })
    const [transcript] = find(home)
    database.exec("ALTER TABLE part RENAME TO session_part")
    database.close()
    expect(find(home)).toEqual([])
    expect(await read(transcript)).toMatchObject([{ events: [], unknown: { unreadable: 1 } }])
  })
})

describe("the tree of files of older versions", () => {
  testClient(opencode, { install: (home) => makeTree(home, "ses_1", sessionStory) })

  test("a session that is also in the database is read there", () => {
    const { home, database } = opened({ ses_1: sessionStory })
    database.close()
    for (const id of ["ses_0", "ses_1"]) makeTree(home, id, sessionStory)
    expect(find(home)).toMatchObject([{ path: expect.stringContaining("ses_0.json") }, { session: "ses_1" }])
  })

  test("it gives the same events as the database, with the same ids", async () => {
    const { home, database } = opened({ ses_1: sessionStory })
    database.close()
    const older = makeRepository({})
    makeTree(older, "ses_1", sessionStory)
    expect(await eventsOf(find(older)[0])).toEqual(await eventsOf(find(home)[0]))
  })
})

test.each([
  ["exported.json", "", { id: "ses_1", directory: "/work/dates" }],
  ["dates.txt", "Exporting session: ses_1", { slug: "dates", id: "ses_1", directory: "/work/dates" }],
  ["full.jsonl", "", { title: "Dates", directory: "/work/dates", id: "ses_1" }],
])("an exported session is recognised by its content, and read like the original: %s", async (name, before, info) => {
  const { home, database } = opened({ ses_1: sessionStory })
  database.close()
  const path = join(home, name)
  const document = { info, messages: sessionStory.map(({ info, parts }) => ({ info, parts })) }
  const text = before + JSON.stringify(document, null, 2)
  writeTo(path, text)
  expect(opencode.recognises(path, text)).toBe(true)
  expect(await eventsOf({ client: "opencode", path })).toEqual(await eventsOf(find(home)[0]))
})

test("a database named by the user is read whole", async () => {
  const { home, database } = opened({ ses_1: sessionStory, ses_2: [said("msg_9", 9, { type: "text", text: "Hello" })] })
  database.close()
  const path = databasePath(home)
  expect(opencode.recognises(path, "SQLite format 3\0…")).toBe(true)
  expect((await eventsOf({ client: "opencode", path })).map(({ session }) => session)).toContain("ses_2")
})

test("the data folder can be moved", () => {
  const home = makeRepository({})
  makeTree(home, "ses_1", sessionStory)
  const environment = { XDG_DATA_HOME: join(home, ".local", "share") }
  expect(opencode.find({ home: "/nowhere", environment, platform: "linux" })).toHaveLength(1)
})

const find = (home: string) => findIn(opencode, home)
const read = (transcript: Transcript | undefined, from?: Position) => readBatches(opencode, transcript, from)
const eventsOf = (transcript: Transcript | undefined, from?: Position) => readEvents(opencode, transcript, from)

function opened(sessions: Record<string, Message[]>) {
  const home = makeRepository({})
  return { home, database: makeDatabase(home, sessions) }
}
