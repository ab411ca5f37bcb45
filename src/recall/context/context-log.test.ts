import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../../test/run-cli.ts"
import { openTeam } from "../../../test/team-store.ts"
import { taskHashOf } from "../../formats/ids.ts"
import { agentKey } from "../../formats/text.ts"
import { appendContext, type ContextRecord, readContexts } from "./context-log.ts"

const record = (taskId: string): ContextRecord => ({
  taskId,
  taskHash: taskHashOf("Use tabs"),
  at: "2026-02-10T09:00:00.000Z",
  agent: "kane",
  budget: 2000,
  tokens: 10,
  items: [{ id: "sem-1", rank: 1, tokens: 5 }],
  left: 2,
})

test("appended records are read back, oldest first", async () => {
  const path = join(makeRepository({}), "contexts", "x.jsonl")
  expect(readContexts(path)).toEqual([])
  for (const id of ["t-1", "t-2"]) await appendContext(path, record(id))
  expect(readContexts(path)).toEqual([record("t-1"), record("t-2")])
  expect(statSync(path).mode & 0o077).toBe(0)
})

test("a truncated or invalid line is skipped, and does not affect the next one", async () => {
  const path = join(makeRepository({}), "x.jsonl")
  await appendContext(path, record("t-1"))
  appendFileSync(path, '42\n"x"\nnull\n{"taskId":"t-2","ta')
  await appendContext(path, record("t-3"))
  expect(readContexts(path).map(({ taskId }) => taskId)).toEqual(["t-1", "t-3"])
})

test("a full log is rotated, and both files are read", async () => {
  const path = join(makeRepository({}), "x.jsonl")
  const line = `${JSON.stringify(record("t-old"))}\n`
  writeFileSync(path, line.repeat(Math.ceil((4 * 1024 * 1024) / line.length) + 1))
  await appendContext(path, record("t-new"))
  expect(existsSync(path.replace(".jsonl", ".1.jsonl"))).toBe(true)
  expect(readFileSync(path, "utf8")).toBe(`${JSON.stringify(record("t-new"))}\n`)
  const ids = readContexts(path).map(({ taskId }) => taskId)
  expect([ids[0], ids.at(-1)]).toEqual(["t-old", "t-new"])
})

test("several processes that find a full log at once rotate it once, and no record is lost", async () => {
  const path = join(makeRepository({}), "x.jsonl")
  const line = `${JSON.stringify(record("t-old"))}\n`
  const lines = Math.ceil((4 * 1024 * 1024) / line.length) + 1
  writeFileSync(path, line.repeat(lines))
  await Promise.all(Array.from({ length: 5 }, (_, number) => appendContext(path, record(`t-${number}`))))
  const ids = readContexts(path).map(({ taskId }) => taskId)
  expect(ids).toHaveLength(lines + 5)
  expect(ids.slice(-5).sort()).toEqual(["t-0", "t-1", "t-2", "t-3", "t-4"])
})

test("a line of another shape is skipped", async () => {
  const path = join(makeRepository({}), "x.jsonl")
  const { items, ...withoutItems } = record("t-2")
  const others = [
    { taskId: "t-1" },
    withoutItems,
    { ...record("t-3"), items: [{ id: 1 }] },
    { ...record("t-4"), at: 5 },
  ]
  writeFileSync(path, others.map((other) => `${JSON.stringify(other)}\n`).join(""))
  await appendContext(path, { ...record("t-5"), items, agent: undefined })
  expect(readContexts(path).map(({ taskId }) => taskId)).toEqual(["t-5"])
})

test("case, spaces and the encoding of an accent do not make another agent", () => {
  expect(agentKey(" Jos\u00e9  Doe ")).toBe("jos\u00e9-doe")
  expect(agentKey("JOSE\u0301 DOE")).toBe("jos\u00e9-doe")
  expect([agentKey(" "), agentKey("*"), agentKey(undefined)]).toEqual([undefined, undefined, undefined])
})

test.each(["Jos\u00e9", "Jose\u0301"])(
  "an agent finds its history in any encoding of its folder's accent: %j",
  async (folder) => {
    const { drey } = openTeam({
      [`.squad/agents/${folder}/history.md`]: "# Learnings\n\n- 2026-02-03: The scheduler drops jobs at midnight\n",
    })
    for (const agent of ["Jos\u00e9", "jose\u0301"]) {
      const { context } = await drey.context.build({ agent, task: "The scheduler drops jobs at midnight" })
      expect(context.included).toHaveLength(1)
    }
  },
)
