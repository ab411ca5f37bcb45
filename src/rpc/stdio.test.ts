import { readFileSync } from "node:fs"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { expect, onTestFinished, test } from "vitest"
import { makeRepository } from "../../test/run-cli.ts"
import { trustForTest } from "../../test/trust-for-test.ts"
import { streamLines } from "../disk/lines.ts"
import { openDrey } from "../drey.ts"
import { serveStreams } from "./stdio.ts"

const decisions = `### 2026-01-10T09:00:00Z: decision: Use one index

**author:** Wren
**summary:** One index for everything.

**rationale:** Two were never in step.

---

### 2026-01-11T09:00:00Z: decision: Use two indexes

**author:** Rook
**summary:** One for words and one for vectors.

**rationale:** It is faster.

---
`
const proposal = `### 2026-01-12T09:00:00Z: decision: Ship on Mondays

**author:** Rook
**summary:** Never ship on a Friday.

**rationale:** Nobody is here on Saturday.

---
`

/** The service in this process, as an editor speaks to it. */
async function serve(files: Record<string, string> = {}) {
  const root = makeRepository({
    ".squad/decisions.md": decisions,
    ".squad/decisions/inbox/rook-mondays.md": proposal,
    ...files,
  })
  const home = join(root, ".home")
  const environment = { HOME: home, DREY_HOME: join(home, ".drey"), DREY_USER: "ines" }
  trustForTest(environment.DREY_HOME, root)
  const [input, output] = [new PassThrough(), new PassThrough()]
  const program = { node: process.execPath, script: join(root, "cli.cjs"), version: "1.2.3" }
  const ended = serveStreams({
    ...{ root, environment, input, output, program },
    pollMs: 20,
    signal: new AbortController().signal,
    warn: () => {},
  })
  onTestFinished(async () => {
    input.end()
    await ended
  })
  type Message = { id?: number; method?: string; params?: unknown; result?: never; error?: { message: string } }
  const waiting = new Map<number | string, (message: Message) => void>()
  void (async () => {
    for await (const line of streamLines(output, 10_000_000)) {
      if (line.kind !== "line") continue
      const message = JSON.parse(line.text) as Message
      waiting.get(message.id ?? message.method ?? "")?.(message)
    }
  })()
  const next = (key: number | string) => new Promise<Message>((resolve) => waiting.set(key, resolve))
  let last = 0
  const call = async (method: string, params: object = {}): Promise<Record<string, never>> => {
    const answer = next(++last)
    const request = { jsonrpc: "2.0", id: last, method, params: { project_root: root, ...params } }
    input.write(`${JSON.stringify(request)}\n`)
    const { result, error } = await answer
    if (error) throw new Error(error.message)
    return result as never
  }
  const drey = openDrey({ root, environment })
  onTestFinished(() => drey.close())
  const idOf = async (title: string) => {
    const { results } = await call("search_items", { query: `"${title}"`, all: true })
    return (results as unknown as { id: string; title: string }[]).find((each) => each.title === title)?.id ?? ""
  }
  return {
    root,
    drey,
    call,
    next,
    idOf,
    end: () => input.end(),
    ended,
    read: (path: string) => readFileSync(join(root, path), "utf8"),
  }
}

test("a proposal is accepted by its key and the entry that the user saw, and one undo restores both files", async () => {
  const { drey, call, read } = await serve()
  const [found] = (await drey.team.inbox.list()).proposals
  const key = ".squad/decisions/inbox/rook-mondays.md"
  expect(await call("accept_proposal", { key, id: "sem-0123456789ab" })).toMatchObject({ done: false })
  const accepted = await call("accept_proposal", { key, id: found?.id })
  expect(accepted).toMatchObject({ done: true, undo: expect.any(String) })
  expect(read(".squad/decisions.md")).toContain("Ship on Mondays")
  expect(() => read(key)).toThrow("ENOENT")
  expect(await call("undo_change", { key: "another" })).toMatchObject({ done: false })
  expect(await call("undo_change", { key: accepted.undo })).toMatchObject({ done: true })
  expect(read(".squad/decisions.md")).toBe(decisions)
  expect(read(key)).toBe(proposal)
})

test("a refused proposal leaves the inbox with its reason", async () => {
  const { drey, call } = await serve()
  const [found] = (await drey.team.inbox.list()).proposals
  expect(await call("refuse_proposal", { key: found?.key, id: found?.id, reason: "Mondays are full" })).toMatchObject({
    done: true,
  })
  expect((await drey.team.inbox.list()).proposals).toEqual([])
})

test("a statement is saved with the code that it is about; a secret in either is refused and not written", async () => {
  const { call, read } = await serve()
  const details = "About `a.ts`:\n\n```ts\nretry(3)\n```"
  const saved = await call("remember", { type: "directive", text: "Never retry a payment", details, why: "It charges" })
  expect(saved).toMatchObject({ done: true, summary: "Saved to .squad/decisions.md" })
  expect(read(".squad/decisions.md")).toMatch(
    /directive: Never retry a payment[\s\S]*\*\*details:\*\*\n\nAbout `a\.ts`:/,
  )
  const before = read(".squad/decisions.md")
  const key = `AKIA${"IOSFODNN7QWERTYZ"}`
  expect(await call("remember", { type: "note", text: "See the code", details: key })).toMatchObject({
    done: false,
    reason: expect.not.stringContaining(key),
  })
  expect(read(".squad/decisions.md")).toBe(before)
})

test("an entry is marked as superseded by another, once, and never by itself or in a circle", async () => {
  const { call, read, idOf } = await serve()
  const [old, young] = [await idOf("Use one index"), await idOf("Use two indexes")]
  expect(await call("supersede_item", { id: old, by: old })).toMatchObject({ done: false })
  expect(await call("supersede_item", { id: old, by: young })).toMatchObject({ done: true, id: old })
  expect(read(".squad/decisions.md")).toContain(`**supersededBy:** ${young}`)
  expect(await call("supersede_item", { id: old, by: young })).toMatchObject({ done: false })
  expect(await call("supersede_item", { id: young, by: old })).toMatchObject({ done: false })
  expect((await call("explain_item", { id: old })).newer).toEqual([{ id: young, title: "Use two indexes" }])
  expect(await call("undo_change")).toMatchObject({ done: true })
  expect(read(".squad/decisions.md")).toBe(decisions)
})

test("what was handed over is counted for each item, and a preview is not", async () => {
  const { drey, call, idOf } = await serve()
  const id = await idOf("Use one index")
  await call("preview_context", { task: "change the index" })
  expect(await call("item_uses", { ids: [id] })).toEqual({ uses: [], latest: null })
  await drey.context.build({ task: "change the index", agent: "wren", session: "s-1" })
  const { uses, latest } = await call("item_uses", { ids: [id, "sem-000000000000"] })
  expect(uses).toEqual([{ id, handed: 1, used: 1, last: { at: expect.any(String), agent: "wren" } }])
  expect(latest).toMatchObject({ agent: "wren", occasion: "task", count: expect.any(Number) })
  const { others } = await call("recent_work")
  expect(others).toMatchObject([
    { items: expect.arrayContaining([expect.objectContaining({ title: "Use one index" })]) },
  ])
})

test("a captured rule is listed with the key that undoes it, and a change by anybody is reported", async () => {
  const { drey, call, next, read } = await serve()
  const since = new Date(Date.now() - 1000).toISOString()
  expect(await call("captured_rules", { since })).toEqual({ captured: [], next: null })
  const changed = next("changed")
  await drey.team.captureDirective("Always use pnpm in this repository", "ines")
  expect(await changed).toMatchObject({ params: { event: "appeared", what: "entry", type: "directive" } })
  const { captured, next: key } = await call("captured_rules", { since })
  expect(captured).toEqual([{ key, at: expect.any(String) }])
  expect(await call("undo_change", { key })).toMatchObject({ done: true })
  expect(read(".squad/decisions.md")).toBe(decisions)
})

test("health names problems and the clients that are found, an unknown id and a wrong parameter are errors", async () => {
  const { call } = await serve()
  expect(await call("project_health")).toMatchObject({ version: "1.2.3", trusted: true, problems: expect.any(Array) })
  await expect(call("explain_item", { id: "sem-000000000000" })).rejects.toThrow("Nothing has the id")
  await expect(call("search_items", { query: 7 })).rejects.toThrow("query must be a text")
  expect(await call("search_items", { query: "autor:rook" })).toMatchObject({
    results: [],
    problems: [expect.stringContaining('Did you mean "author:"')],
  })
})

test("it ends when the editor closes the input, after what was asked is answered", async () => {
  const { call, end, ended } = await serve()
  const asked = call("learned_items")
  end()
  expect(await asked).toEqual({ items: [] })
  await ended
})
