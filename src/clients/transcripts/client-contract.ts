import { appendFileSync, readFileSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../../test/run-cli.ts"
import type { Position, TranscriptEvent } from "../../formats/client-events.ts"
import { type Batch, type Client, longestText, type Machine, type Transcript } from "../client.ts"
import { spoil } from "./test-spoil.ts"

/** The story of every fixture, in its client's own format. */
export const story = {
  /**
   * The user's messages, in this order. The first comes with one of our contexts, with the task `context`; the second
   * contains a private block.
   */
  said: ["Make the date parser accept ISO weeks", "No, keep the old error message"],
  /** Run twice: it fails with exit code 1, then, after the edit, passes. */
  command: "npm test",
  /** The file that is edited in between. */
  file: "src/parse-date.ts",
  /** Cited by the assistant at the end: `[m:4f2a91] helped`. */
  cite: "m:4f2a91",
  context: "t-0a1b2c3d",
  /**
   * In all text that must be removed: our contexts, our tools' results, private blocks, hook output, system text; and in
   * that of sub-agents, which is kept apart.
   */
  canary: "CANARY",
}

export type ClientFixture = {
  /** The format, if the client has several. */
  form?: string
  /** Writes the client's files below an empty home. */
  install(home: string): void
  /** Environment variables besides the home. */
  environment?: (home: string) => NodeJS.ProcessEnv
  platform?: NodeJS.Platform
  /** The transcript is a file of lines that the client only appends to. */
  grows?: boolean
  /** What this client's files do not contain. */
  lacks?: ("times" | "results" | "exit codes" | "contexts")[]
}

/** The contract of every client. */
export function testClient(client: Client, fixture: ClientFixture): void {
  const told = (behaviour: string) => `${client.id}${fixture.form ? `, ${fixture.form}` : ""}: ${behaviour}`
  const lacks = (part: NonNullable<ClientFixture["lacks"]>[number]) => fixture.lacks?.includes(part) === true
  const emptyMachine = (): Machine => {
    const home = makeRepository({})
    return { home, environment: fixture.environment?.(home) ?? {}, platform: fixture.platform ?? "linux" }
  }
  const installed = (): Transcript[] => {
    const machine = emptyMachine()
    fixture.install(machine.home)
    return client.find(machine)
  }
  const readAll = async (transcripts: Transcript[]) =>
    (await Promise.all(transcripts.map((each) => readWhole(client, each)))).flat()
  const readStory = async () => (await readAll(installed())).filter(({ agent }) => agent === undefined)

  test(told("its transcripts are found, and a machine without it has none"), () => {
    expect(client.find(emptyMachine())).toEqual([])
    const found = installed()
    expect(found.length).toBeGreaterThan(0)
    for (const transcript of found) expect(transcript).toMatchObject({ client: client.id, path: expect.any(String) })
    expect(new Set(found.map(({ path, session }) => `${path}#${session}`)).size).toBe(found.length)
  })

  test(told("it recognises its own files and no others"), () => {
    for (const { path } of installed()) expect(client.recognises(path, beginningOf(path))).toBe(true)
    for (const text of [
      "",
      "# Notes\n",
      "{}",
      "[]",
      '{"name":"a package","version":"1.0.0"}\n',
      '{"level":"info","msg":"started"}\n',
    ])
      expect(client.recognises("/tmp/notes.jsonl", text)).toBe(false)
  })

  test(told("only text typed by the user is read as the user's"), async () => {
    const said = (await readStory()).filter(({ role, kind }) => role === "user" && kind === "message")
    expect(said.map(({ text }) => text)).toEqual(story.said)
  })

  test(told("our context is removed, and its id is on its event or the next"), async () => {
    const contexts = (await readStory()).flatMap(({ contexts }) => contexts ?? [])
    expect(contexts).toEqual(lacks("contexts") ? [] : [story.context])
  })

  test(told("injected and private text and Drey's own output are removed"), async () => {
    expect(JSON.stringify(await readStory())).not.toContain(story.canary)
  })

  test(told("a command has its outcome, an edit has its file"), async () => {
    const events = await readStory()
    const runs = events.filter(({ kind, action }) => kind === "tool_call" && action === "run")
    expect(runs.map(({ command }) => command)).toEqual([story.command, story.command])
    const edits = events.filter(({ kind, action }) => kind === "tool_call" && action === "edit")
    expect(edits.flatMap(({ files }) => files ?? [])).toEqual([expect.stringContaining(story.file)])
    if (lacks("results")) return
    const results = events.filter(({ kind, action }) => kind === "tool_result" && action === "run")
    expect(results.map(({ command }) => command)).toEqual([story.command, story.command])
    if (lacks("exit codes")) expect(results.map(({ isError }) => isError === true)).toEqual([true, false])
    else expect(results.map(({ exitCode }) => exitCode ?? 0)).toEqual([1, 0])
    expect(results[0]?.text).toContain("1 failed")
    for (const result of results) expect(runs.map(({ call }) => call)).toContain(result.call)
  })

  test(told("a memory that the assistant cites is recorded"), async () => {
    const cites = (await readStory()).flatMap(({ cites }) => cites ?? [])
    expect(cites).toEqual([story.cite])
  })

  test(told("every event is well formed and has a unique id"), async () => {
    const events = await readStory()
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
    expect(new Set(events.map(({ session }) => session))).not.toContain("")
    for (const event of events) expectWellFormed(event, lacks("times"))
  })

  test(told("reading on from the end returns nothing, and from the start the same events"), async () => {
    for (const transcript of installed()) {
      const batches = await readBatches(client, transcript)
      const position = batches.at(-1)?.position
      expect(position).toBeDefined()
      expect((await readBatches(client, transcript, position)).flatMap(({ events }) => events)).toEqual([])
      expect(await readWhole(client, transcript)).toEqual(batches.flatMap(({ events }) => events))
    }
  })

  test(told("files with unrelated content do not fail"), async () => {
    for (const { path } of installed())
      for (const content of damage)
        expect(await readWhole(client, { client: client.id, path: writeBeside(path, content) })).toEqual([])
  })

  test(told("values of unexpected types do not fail"), async () => {
    for (const { path } of installed().filter((each) => each.session === undefined)) {
      const text = readFileSync(path, "utf8")
      for (let seed = 1; seed <= 50; seed++) {
        const spoiled = { client: client.id, path: writeBeside(path, spoil(text, seed)) }
        for (const event of await readWhole(client, spoiled)) expectWellFormed(event, true)
      }
    }
  })

  test(told("a missing file does not fail"), async () => {
    for (const transcript of installed())
      expect(await readWhole(client, { ...transcript, path: `${transcript.path}.gone` })).toEqual([])
  })

  if (!fixture.grows) return

  test(told("a file read as it grows gives the same events as one read at once"), async () => {
    for (const transcript of installed()) {
      const whole = await readWhole(client, transcript)
      const bytes = readFileSync(transcript.path)
      const growing = { ...transcript, path: writeBeside(transcript.path, "") }
      const events: TranscriptEvent[] = []
      let position: Position | undefined
      for (let at = 0, piece = 0; at < bytes.length; piece++) {
        const end = Math.min(bytes.length, at + 1 + ((piece * 397) % 1500))
        appendFileSync(growing.path, bytes.subarray(at, end))
        for (const batch of await readBatches(client, growing, position)) {
          events.push(...batch.events)
          position = batch.position
        }
        at = end
      }
      expect(events).toEqual(whole)
    }
  })

  test(told("unknown records and broken lines are counted, and the records around them are read"), async () => {
    for (const transcript of installed()) {
      const whole = await readWhole(client, transcript)
      const text = readFileSync(transcript.path, "utf8")
      const noise = '{"type":"never-heard-of","payload":{"type":"neither"},"uuid":"u-1"}\n{"broken\n'
      const batches = await readBatches(client, { ...transcript, path: writeBeside(transcript.path, text + noise) })
      expect(batches.flatMap(({ events }) => events)).toEqual(whole)
      const unknown = batches.reduce((sum, each) => sum + Object.values(each.unknown).reduce((a, b) => a + b, 0), 0)
      expect(unknown).toBeGreaterThanOrEqual(2)
      expect(batches.reduce((sum, { unknown }) => sum + (unknown.unreadable ?? 0), 0)).toBe(1)
    }
  })
}

const damage = ["", "\n\n", "{", "null\n[]\n7\n\u0000\n", '{"type":"x"}\n{"type":null}\n{"payload":{"type":[]}}\n']

async function readBatches(client: Client, transcript: Transcript, from?: Position): Promise<Batch[]> {
  const batches: Batch[] = []
  for await (const batch of client.read(transcript, from)) batches.push(batch)
  return batches
}

async function readWhole(client: Client, transcript: Transcript): Promise<TranscriptEvent[]> {
  return (await readBatches(client, transcript)).flatMap(({ events }) => events)
}

/** A file of the same name in a separate folder, since some clients identify sessions by it, and some projects by folders above it. */
function writeBeside(path: string, content: string): string {
  const copy = join("copy", basename(path))
  return join(makeRepository({ [copy]: content }), copy)
}

function beginningOf(path: string): string {
  return statSync(path).isFile() ? readFileSync(path).subarray(0, 65536).toString("utf8") : ""
}

const roleOf = { tool_call: "assistant", tool_result: "tool" } as const

function expectWellFormed(event: TranscriptEvent, mayLackTime: boolean): void {
  const { id, session, ts, role, kind, text, mark } = event
  expect(id).not.toBe("")
  expect(session).not.toBe("")
  if (ts !== "" || !mayLackTime) expect(new Date(ts).toISOString()).toBe(ts)
  if (kind === "tool_call" || kind === "tool_result") {
    expect(role).toBe(roleOf[kind])
    expect(event).toMatchObject({ tool: expect.any(String), action: expect.any(String), call: expect.any(String) })
  }
  if (kind === "message") expect(text.trim()).not.toBe("")
  if (kind === "tool_call") expect(text).toBe("")
  expect(kind === "mark").toBe(mark !== undefined || (role === "user" && event.incident === "interrupted"))
  expect(text.length).toBeLessThanOrEqual(longestText)
}
