import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { makeRepository } from "../../../test/run-cli.ts"
import { type Database, openDatabase } from "../../disk/sqlite.ts"
import { story, testClient } from "../transcripts/client-contract.ts"
import { contextText, findIn, readBatches, readEvents, writeTo } from "../transcripts/test-reading.ts"
import { cursor } from "./transcript.ts"

type Values = Record<string, unknown>

const composer = "5d0f3c1a-72c4-4f0b-9d5e-1f2a3b4c5d6e"

describe("the editor's database", () => {
  const created = (minute: number) => new Date(Date.UTC(2026, 2, 2, 9, minute)).toISOString()
  const said = (text: string, minute: number): Values => ({ type: 1, text, createdAt: created(minute) })
  const answered = (text: string, minute: number): Values => ({ type: 2, text, createdAt: created(minute) })
  const tool = (name: string, args: Values, minute: number, data: Values): Values => ({
    type: 2,
    text: "",
    capabilityType: 15,
    createdAt: created(minute),
    toolFormerData: { name, rawArgs: JSON.stringify(args), status: "completed", toolCallId: `call_${minute}`, ...data },
  })
  const outcome = (output: string, exitCodeV2: number) => ({
    result: JSON.stringify({ output, exitCodeV2, rejected: false }),
  })

  const bubbleStory = [
    said(`<rules>${story.canary}</rules>${contextText}<user_query>${story.said[0]}</user_query>`, 0),
    { ...answered("I run the tests.", 1), thinking: { text: story.canary } },
    tool("run_terminal_command_v2", { command: story.command }, 2, outcome("Tests: 1 failed", 1)),
    tool("mcp_drey_memory_search", { q: "dates" }, 3, { result: JSON.stringify({ output: story.canary }) }),
    tool("edit_file_v2", { target_file: story.file }, 4, { result: "{}" }),
    said(`${story.said[1]} <private>${story.canary}</private>`, 5),
    tool("run_terminal_command_v2", { command: story.command }, 6, outcome("Tests: 9 passed", 0)),
    answered(`Done. [${story.cite}] helped.`, 7),
  ]

  testClient(cursor, { install: (home) => makeDatabase(home, { [composer]: bubbleStory }).close() })

  test("the folder comes from the conversation", async () => {
    const { home, database } = opened(
      { [composer]: [said("Go", 0)] },
      { workspaceIdentifier: { uri: { fsPath: "/work/dates" } } },
    )
    database.close()
    expect(await readEvents(cursor, findIn(cursor, home)[0])).toMatchObject([{ cwd: "/work/dates" }])
  })

  test("the folder of an older conversation comes from the workspace that lists it", async () => {
    const { home, database } = opened({ [composer]: [said("Go", 0)] })
    database.close()
    const workspace = join(home, ".config", "Cursor", "User", "workspaceStorage", "0a1b")
    writeTo(join(workspace, "workspace.json"), { folder: "file:///work/old%20dates" })
    const items = openDatabase(join(workspace, "state.vscdb"))
    items.exec("CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB)")
    const listed = Buffer.from(JSON.stringify({ allComposers: [{ composerId: composer }] }))
    items.prepare("INSERT INTO ItemTable VALUES ('composer.composerData', ?)").run(listed)
    items.close()
    expect(await readEvents(cursor, findIn(cursor, home)[0])).toMatchObject([{ cwd: "/work/old dates" }])
  })

  test("only conversations are read from the database", async () => {
    const { home, database } = opened({ [composer]: bubbleStory })
    database.exec("CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB)")
    database.exec("INSERT INTO ItemTable VALUES ('cursorAuth/accessToken', 'TRAP'), ('secret://x', 'TRAP')")
    put(database, "agentKv:blob:1", { text: "TRAP" })
    put(database, `messageRequestContext:${composer}:0`, { text: "TRAP" })
    database.close()
    const [transcript] = findIn(cursor, home)
    expect(JSON.stringify(await readBatches(cursor, transcript))).not.toContain("TRAP")
  })

  test("a conversation is read again only when it grew", async () => {
    const { home, database } = opened({ [composer]: [said("Go", 0)], "other-conversation": [said("Hello", 1)] })
    onTestFinished(() => database.close())
    const [first, second] = findIn(cursor, home)
    const positions = [
      (await readBatches(cursor, first))[0]?.position,
      (await readBatches(cursor, second))[0]?.position,
    ]
    putConversation(database, composer, [said("Go", 0), answered("Gone.", 2)])
    expect((await readEvents(cursor, first, positions[0])).map(({ text }) => text)).toEqual(["Go", "Gone."])
    expect(await readEvents(cursor, second, positions[1])).toEqual([])
  })

  test("an unfinished answer is read later", async () => {
    const { home, database } = opened(
      { [composer]: [said("Go", 0), answered("Half an ans", 1)] },
      { status: "generating" },
    )
    database.close()
    expect((await readEvents(cursor, findIn(cursor, home)[0])).map(({ text }) => text)).toEqual(["Go"])
  })

  test.each<[string, Values, Values]>([
    ["refused", { userDecision: "rejected", status: "cancelled" }, { incident: "refused" }],
    ["stopped", { status: "cancelled" }, { incident: "interrupted" }],
    ["failed", { status: "error", error: "no such file" }, { isError: true, text: "no such file" }],
  ])("a call that was %s is marked so", async (_how, data, expected) => {
    const { home, database } = opened({ [composer]: [tool("read_file_v2", { target_file: "a.ts" }, 0, data)] })
    database.close()
    expect((await readEvents(cursor, findIn(cursor, home)[0]))[1]).toMatchObject({ kind: "tool_result", ...expected })
  })

  test("a call that never ended has no result", async () => {
    const { home, database } = opened({
      [composer]: [tool("run_terminal_cmd", { command: "sleep 9" }, 0, { status: "loading" })],
    })
    database.close()
    expect((await readEvents(cursor, findIn(cursor, home)[0])).map(({ kind }) => kind)).toEqual(["tool_call"])
  })

  test("an empty conversation is skipped, and a sub-agent's has no events", async () => {
    const { home, database } = opened({ [composer]: [] })
    putConversation(database, "of-an-agent", [said("Go", 0)], { subagentInfo: { parent: composer } })
    database.close()
    const found = findIn(cursor, home)
    expect(found.map(({ session }) => session)).toEqual(["of-an-agent"])
    expect(await readEvents(cursor, found[0])).toEqual([])
  })

  test("missing or damaged bubbles do not fail", async () => {
    const { home, database } = opened({ [composer]: [said("Go", 0), said("gone", 1), said("broken", 2)] })
    database.exec(`DELETE FROM cursorDiskKV WHERE key = 'bubbleId:${composer}:1'`)
    database.exec(`UPDATE cursorDiskKV SET value = '{"type":1,' WHERE key = 'bubbleId:${composer}:2'`)
    database.close()
    expect((await readEvents(cursor, findIn(cursor, home)[0])).map(({ text }) => text)).toEqual(["Go"])
  })

  test("values may be bytes", async () => {
    const { home, database } = opened({ [composer]: [said("Größe ändern", 0)] })
    database.exec("UPDATE cursorDiskKV SET value = CAST(value AS BLOB)")
    database.close()
    expect((await readEvents(cursor, findIn(cursor, home)[0])).map(({ text }) => text)).toEqual(["Größe ändern"])
  })

  function opened(conversations: Record<string, Values[]>, about: Values = {}) {
    const home = makeRepository({})
    return { home, database: makeDatabase(home, conversations, about) }
  }

  function makeDatabase(home: string, conversations: Record<string, Values[]>, about: Values = {}): Database {
    const path = join(home, ".config", "Cursor", "User", "globalStorage", "state.vscdb")
    mkdirSync(dirname(path), { recursive: true })
    const database = openDatabase(path)
    database.exec(
      "PRAGMA journal_mode = WAL; CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",
    )
    for (const [id, bubbles] of Object.entries(conversations)) putConversation(database, id, bubbles, about)
    return database
  }

  function putConversation(database: Database, id: string, bubbles: Values[], about: Values = {}): void {
    const headers = bubbles.map(({ type }, index) => ({ bubbleId: String(index), type }))
    put(database, `composerData:${id}`, { createdAt: 10, fullConversationHeadersOnly: headers, ...about })
    for (const [index, bubble] of bubbles.entries())
      put(database, `bubbleId:${id}:${index}`, { ...bubble, bubbleId: String(index) })
  }

  function put(database: Database, key: string, value: Values): void {
    database.prepare("INSERT INTO cursorDiskKV VALUES (?, ?)").run(key, JSON.stringify(value))
  }
})

describe("agent transcripts", () => {
  const line = (role: string, ...content: Values[]) => `${JSON.stringify({ role, message: { content } })}\n`
  const text = (words: string): Values => ({ type: "text", text: words })
  const typed = (words: string) => text(`<timestamp>Monday</timestamp>\n<user_query>\n${words}\n</user_query>`)
  const use = (id: string, name: string, input: Values): Values => ({ type: "tool_use", id, name, input })

  const lineStory = [
    line("user", text(`<skills>CANARY</skills>\n${contextText}\n<user_query>\n${story.said[0]}\n</user_query>`)),
    line(
      "assistant",
      { type: "thinking", thinking: story.canary },
      text("I run the tests."),
      use("t_1", "Shell", { command: story.command }),
    ),
    line("assistant", use("t_2", "mcp_drey_memory_search", { q: "dates" })),
    line("user", { type: "tool_result", tool_use_id: "t_2", content: story.canary }),
    line("assistant", use("t_3", "StrReplace", { path: `/work/dates/${story.file}` })),
    '{"type":"turn_ended","status":"success"}\n',
    line("user", typed(`${story.said[1]} <private>${story.canary}</private>`)),
    line("assistant", use("t_4", "Shell", { command: story.command }), text(`Done. [${story.cite}] helped.`)),
  ].join("")

  testClient(cursor, {
    install: (home) => writeTo(transcriptIn(home, "work-dates"), lineStory),
    grows: true,
    lacks: ["times", "results"],
  })

  test("the folder is the one whose path, without slashes and dots, is the project's name", async () => {
    const home = makeRepository({})
    const project = join(home, "my.team", "date-parser")
    mkdirSync(project, { recursive: true })
    writeTo(transcriptIn(home, project.slice(1).replace(/[/.]/g, "-")), lineStory)
    expect((await readEvents(cursor, findIn(cursor, home)[0]))[0]).toMatchObject({ cwd: project })
  })

  test("a name that matches two folders gives neither", async () => {
    const home = makeRepository({})
    for (const folder of ["date-parser", "date/parser"]) mkdirSync(join(home, folder), { recursive: true })
    writeTo(transcriptIn(home, `${home.slice(1).replace(/[/.]/g, "-")}-date-parser`), lineStory)
    expect((await readEvents(cursor, findIn(cursor, home)[0]))[0]?.cwd).toBeUndefined()
  })

  test("a recorded result is read", async () => {
    const home = makeRepository({})
    const answer = {
      type: "tool_result",
      tool_use_id: "t_1",
      content: [{ type: "text", text: "2 failed" }],
      is_error: true,
    }
    writeTo(
      transcriptIn(home, "p"),
      line("assistant", use("t_1", "Shell", { command: "npm test" })) + line("user", answer),
    )
    const [, result] = await readEvents(cursor, findIn(cursor, home)[0])
    expect(result).toMatchObject({ kind: "tool_result", command: "npm test", text: "2 failed", isError: true })
  })

  test("sub-agents' files are not searched", () => {
    const home = makeRepository({})
    writeTo(transcriptIn(home, "p"), lineStory)
    writeTo(join(dirname(transcriptIn(home, "p")), "subagents", "a.jsonl"), lineStory)
    expect(findIn(cursor, home)).toHaveLength(1)
  })

  test("a conversation that the editor's database has is read there", () => {
    const home = makeRepository({})
    writeTo(transcriptIn(home, "p"), lineStory)
    const path = join(home, ".config", "Cursor", "User", "globalStorage", "state.vscdb")
    mkdirSync(dirname(path), { recursive: true })
    const database = openDatabase(path)
    database.exec("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)")
    for (const key of [`composerData:${composer}`, `bubbleId:${composer}:1`])
      database.prepare("INSERT INTO cursorDiskKV VALUES (?, '{}')").run(key)
    database.close()
    expect(findIn(cursor, home)).toEqual([{ client: "cursor", path, session: composer }])
  })

  function transcriptIn(home: string, project: string): string {
    return join(home, ".cursor", "projects", project, "agent-transcripts", composer, `${composer}.jsonl`)
  }
})

test("a damaged database does not fail", () => {
  const home = makeRepository({})
  writeTo(
    join(home, ".config", "Cursor", "User", "globalStorage", "state.vscdb"),
    "SQLite format 3\0 and then nothing of use",
  )
  expect(findIn(cursor, home)).toEqual([])
})
