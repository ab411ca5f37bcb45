import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openSessionFiles } from "./session-files.ts"
import { openSession } from "./sessions.ts"
import { editIn, makeSessions, readIn } from "./test-sessions.ts"

async function filesOfNewSession() {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  const { id, folder } = session
  const options = { id, folder, now: () => new Date("2026-01-23T12:00:00Z"), warn: () => {} }
  return { session, options, path: join(folder, "agent-memory.yaml") }
}

test("a file that is saved during a change keeps the saved content, and the change is applied to it", async () => {
  const { options, path } = await filesOfNewSession()
  let tries = 0
  openSessionFiles(options).change("memory", path, () => {
    if (++tries === 1) writeFileSync(path, `${readFileSync(path, "utf8")}mine: kept # by hand\n`)
    return [{ op: "set", path: ["added"], value: tries }]
  })
  const text = readFileSync(path, "utf8")
  expect(text).toContain("mine: kept # by hand\n")
  expect(text).toContain("added: 2\n")
})

test("an empty change writes nothing", async () => {
  const { options, path } = await filesOfNewSession()
  const before = readFileSync(path, "utf8")
  openSessionFiles(options).change("memory", path, () => [])
  expect(readFileSync(path, "utf8")).toBe(before)
})

test("an edit that would make the file invalid is refused with the problem, and not written", async () => {
  const { options, path } = await filesOfNewSession()
  const before = readFileSync(path, "utf8")
  const change = () =>
    openSessionFiles(options).change("memory", path, () => [{ op: "set", path: ["createdAt"], value: 7 }])
  expect(change).toThrow(/^createdAt: /)
  expect(readFileSync(path, "utf8")).toBe(before)
})

test("an older version is read as upgraded, and a copy is kept when the upgrade is written", async () => {
  const { session, options } = await filesOfNewSession()
  editIn(session, "agent-memory.yaml", (text) =>
    text.replace('version: "1"', 'version: "0"').replace(/^agent: /m, "who: "),
  )
  const old = readIn(session, "agent-memory.yaml")
  await expect(session.memories()).rejects.toThrow(/agent-memory\.yaml:1:10 version: /)
  const migrating = openSession({
    ...options,
    migrations: {
      "0": ({ value }) => [
        { op: "set", path: ["agent"], value: value.who },
        { op: "set", path: ["who"], value: undefined },
        { op: "set", path: ["version"], value: "1" },
      ],
    },
  })
  expect([...(await migrating.memories()).keys()]).toEqual(["developer"])
  expect(readIn(session, "agent-memory.yaml")).toBe(old)
  await migrating.addDiscovery(undefined, { type: "data_model", content: "Cents" })
  expect(readIn(session, "agent-memory.yaml.v0.bak")).toBe(old)
  expect(readIn(session, "agent-memory.yaml")).toMatch(/^version: "1"\n/)
  expect((await session.memories()).get("developer")?.discoveries).toHaveLength(1)
  expect(existsSync(join(session.folder, "agent-memory.yaml.v1.bak"))).toBe(false)
})
