import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { longSession } from "../src/sessions/test-session.ts"

test("a long session is archived automatically, and its metadata follow", async () => {
  const { sessions, session } = await longSession()
  expect(existsSync(join(session.folder, "agent-memory-archive.yaml"))).toBe(true)
  expect((await session.memories()).get("developer")?.discoveries.map(({ id }) => id)).toEqual(["discovery-002"])
  const [listed] = await sessions.list()
  expect(listed).toMatchObject({
    metadata: { archived: true, counts: { discoveries: 2, attempts: 1, decisions: 1, failures: 1 } },
  })
  const names = readdirSync(session.folder).filter((name) => name.endsWith(".yaml") && name !== "metadata.yaml")
  const bytes = names.reduce((sum, name) => sum + statSync(join(session.folder, name)).size, 0)
  const { sizeBytes } = await session.metadata()
  expect(sizeBytes).toBe(bytes)
})

test("ids continue after archived ones", async () => {
  const { session } = await longSession()
  const added = await session.addDiscovery("developer", { type: "code_pattern", content: "It is sorted twice." })
  expect(added.id).toBe("discovery-003")
})

test("the trace of an entry leads into the archive", async () => {
  const { session } = await longSession()
  expect(await session.trace("discovery-001")).toMatchObject({
    start: { archived: true, agent: "developer" },
    linked: [],
  })
  expect((await session.trace("decision-001")).linked).toMatchObject([
    { from: "decision-001", relation: "rests on", found: { kind: "discovery", archived: false } },
  ])
})
