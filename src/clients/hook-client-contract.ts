import fc from "fast-check"
import { expect, test } from "vitest"
import type { HookClient, HookEvent } from "./hook-event.ts"

/** The story of every fixture, in its client's own format. */
export const story = {
  session: "0b1f6c1e-2222-4333-8444-555555555555",
  cwd: "/home/user/demo",
  transcript: "/home/user/transcripts/demo.jsonl",
  prompt: "Make the date parser accept ISO weeks",
  command: "npm test",
  file: "/home/user/demo/src/parse-date.ts",
  newText: "return isoWeek(text)",
  error: "AssertionError: 1 failed",
}

/** The start and end of everything that Drey hands out. */
const context = { open: '<drey-context task="t-0a1b2c3d">\n', close: "\n</drey-context>" }

/** An event by the client's name, and its input. */
type Told = { event: string; input: unknown }

export type HookFixture = {
  start?: Told
  /** The session is resumed. */
  resume?: Told
  prompt: (words: string) => Told
  /** The command of the story is about to run. */
  run?: Told
  /** The file of the story is about to be changed. */
  edit?: Told
  /** The same file is about to be read. */
  read?: Told
  /** The story's command succeeded; for clients that accept a warning only then. */
  success?: Told
  /** The command of the story failed. */
  failure?: Told
  turnEnd?: Told
  sessionEnd?: Told
  /** What this client does not report. */
  lacks?: ("cwd" | "transcript")[]
  /** It can ask the user before a call. */
  asks?: boolean
}

/** The contract of every client with hooks. */
export function testHookClient(client: HookClient, fixture: HookFixture): void {
  const told = (behaviour: string) => `${client.id}: ${behaviour}`
  const lacks = (part: NonNullable<HookFixture["lacks"]>[number]) => fixture.lacks?.includes(part) === true
  const place = {
    client: client.id,
    session: story.session,
    cwd: lacks("cwd") ? process.cwd() : story.cwd,
    transcript: lacks("transcript") ? undefined : story.transcript,
  }
  const read = ({ event, input }: Told) => client.read(event, input)
  const all = [fixture.start, fixture.resume, fixture.prompt(story.prompt), fixture.run, fixture.edit, fixture.failure]
    .concat([fixture.success, fixture.turnEnd, fixture.sessionEnd])
    .flatMap((each) => each ?? [])

  test(told("reads a session start and a resumed session"), () => {
    if (fixture.start) expect(read(fixture.start)).toEqual({ ...place, kind: "session-start", source: "startup" })
    if (fixture.resume) expect(read(fixture.resume)).toMatchObject({ kind: "session-start", source: "resume" })
  })

  test(told("reads a prompt without injected and private text"), () => {
    expect(read(fixture.prompt(story.prompt))).toEqual({ ...place, kind: "prompt", text: story.prompt })
    const injected = `${context.open}CANARY${context.close}`
    const mixed = read(fixture.prompt(`${injected}\n\n${story.prompt}<private>CANARY</private>`))
    expect(mixed).toMatchObject({ text: story.prompt })
    expect(read(fixture.prompt(""))).toBeUndefined()
    expect(read(fixture.prompt(injected))).toBeUndefined()
  })

  test(told("reads a command before it runs"), () => {
    if (!fixture.run) return
    const call = { command: story.command, paths: [], text: undefined }
    expect(read(fixture.run)).toEqual({ ...place, kind: "before-tool", call: { ...call, tool: expect.any(String) } })
  })

  test(told("reads an edit with its file and new text, and ignores reading a file"), () => {
    if (fixture.edit) {
      const call = { command: undefined, paths: [story.file], text: expect.stringContaining(story.newText) }
      expect(read(fixture.edit)).toMatchObject({ kind: "before-tool", call })
    }
    if (fixture.read) expect(read(fixture.read)).toBeUndefined()
  })

  test(told("reads a failed command with its output"), () => {
    if (!fixture.failure) return
    const event = read(fixture.failure)
    expect(event).toMatchObject({ kind: "after-failure", call: { command: story.command } })
    expect(event).toMatchObject({ error: expect.stringContaining(story.error) })
  })

  test(told("reads a successful command where the agent can be warned only then"), () => {
    expect(fixture.success !== undefined).toBe(client.hears.includes("after-tool"))
    if (!fixture.success) return
    const call = { tool: expect.any(String), command: story.command, paths: [], text: undefined }
    expect(read(fixture.success)).toEqual({ ...place, kind: "after-tool", call })
  })

  test(told("reads the end of a turn and of a session"), () => {
    if (fixture.turnEnd) expect(read(fixture.turnEnd)).toEqual({ ...place, kind: "end", of: "turn" })
    if (fixture.sessionEnd) expect(read(fixture.sessionEnd)).toMatchObject({ kind: "end", of: "session" })
    expect(fixture.turnEnd ?? fixture.sessionEnd).toBeDefined()
  })

  test(told("an answer is one JSON document that contains the text"), () => {
    for (const event of all.flatMap((each) => read(each) ?? [])) {
      if (!client.hears.includes(event.kind)) continue
      const kind = event.kind === "before-tool" ? "warning" : "context"
      const answer = client.answer(event, { kind, text: 'Say "no"\nto <that>', ask: false })
      expect(JSON.stringify(JSON.parse(answer))).toContain(JSON.stringify('Say "no"\nto <that>').slice(1, -1))
    }
  })

  test(told("a call is never denied or permitted; the user is asked only if they chose so, in plain text"), () => {
    const event = fixture.run && read(fixture.run)
    if (!event || !client.hears.includes("before-tool")) return
    const advice = client.answer(event, { kind: "warning", text: "No.", ask: false })
    const asked = client.answer(event, { kind: "warning", text: "No.", ask: true })
    for (const answer of [advice, asked]) expect(answer).not.toMatch(/deny|block|allow|approve|"cancel":true/)
    const wrapped = client.answer(event, { kind: "warning", text: `${context.open}No.${context.close}`, ask: true })
    const toPerson = /"(?:systemMessage|user_message|reason|permissionDecisionReason)":"([^"]*)"/g
    for (const [, words] of wrapped.matchAll(toPerson)) expect(words).toBe("Drey · No.")
    const isAsked = (answer: string) => /:"ask"|"ask":true/.test(answer)
    expect([isAsked(advice), isAsked(asked)]).toEqual([false, fixture.asks === true])
  })

  test(told("unknown events and malformed input never fail"), () => {
    expect(client.read("Notification", { message: "x" })).toBeUndefined()
    const events = [...new Set(all.map(({ event }) => event)), "toString", "__proto__", ""]
    const spoiled = fc.oneof(
      fc.anything(),
      fc.constantFrom(...all).chain(({ input }) => spoil(input)),
    )
    fc.assert(
      fc.property(fc.constantFrom(...events), spoiled, (event, input) => expectWellFormed(client.read(event, input))),
      { numRuns: 300 },
    )
  })
}

/** The input with one of its values, at any depth, replaced. */
function spoil(input: unknown): fc.Arbitrary<unknown> {
  const places = placesIn(input)
  return fc
    .tuple(fc.nat(places.length - 1), fc.anything())
    .map(([at, value]) => replaceAt(input, places[at] ?? [], value))
}

function placesIn(value: unknown, place: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [place]
  return [place, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...place, key]))]
}

function replaceAt(value: unknown, [key, ...rest]: string[], replacement: unknown): unknown {
  if (key === undefined) return replacement
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>
  copy[key] = replaceAt(copy[key], rest, replacement)
  return copy
}

function expectWellFormed(event: HookEvent | undefined): void {
  if (!event) return
  expect(typeof event.cwd).toBe("string")
  expect(["string", "undefined"]).toContain(typeof event.session)
  if (event.kind === "prompt") expect(event.text.trim()).not.toBe("")
  if (event.kind === "after-failure") expect(event.error).not.toBe("")
  if (!("call" in event)) return
  const { tool, command, paths, text } = event.call
  expect([typeof tool, ...paths.map((path) => typeof path)]).not.toContain("undefined")
  expect([typeof (command ?? ""), typeof (text ?? "")]).toEqual(["string", "string"])
  expect((text ?? "").length).toBeLessThanOrEqual(4000)
}
