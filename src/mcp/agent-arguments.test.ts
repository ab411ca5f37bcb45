import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { readTree } from "../../test/run-cli.ts"
import { openTestCalls } from "./test-calls.ts"

/** None of these matches a secret rule: only not repeating the input keeps them out. */
const secrets = ["correct horse battery staple 42", "kX9-vmQ2-77Lp-wwRt", "Tr0ub4dor&3", "q7".repeat(60)]

test.each(secrets)("no tool repeats an invalid id, key or name: %s", async (secret) => {
  const { call } = openTestCalls()
  const answers = [
    await call("memory_delete", { id: secret }),
    await call("memory_promote", { id: secret, targetClass: "LOCAL" }),
    await call("report_outcome", { outcome: "success", helped: [secret] }),
    await call("session_record", { action: "discover", text: "x", session: secret }),
    await call("session_recall", { view: "prompt", session: secret }),
    await call("memory_write", { content: "x", scope: `agent:${secret}` }),
    await call("squad_state_read", { key: secret }),
    await call("squad_state_write", { key: secret, content: "x" }),
    await call("squad_state_delete", { key: secret }),
    await call("squad_state_list", { dir: secret }),
  ]
  for (const { text } of answers) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain(secret.slice(0, 40))
  }
})

test("an id of the usual form is named in the answer", async () => {
  const id = "7d0c1f52-0000-4000-8000-000000000001"
  expect(await openTestCalls().call("memory_delete", { id })).toEqual({ text: `Memory ${id} not found`, isError: true })
})

test("the log of contexts stores no agent's name that may be something else", async () => {
  const { call, environment } = openTestCalls({
    ".squad/decisions.md":
      "### 2026-02-10T09:00:00Z: decision: Orders live in PostgreSQL\n**author:** Kane\n**scope:** team\n**summary:** One database.\n",
  })
  for (const agent of [...secrets, "Kane"]) await call("get_task_context", { task: "Where do orders live?", agent })
  const kept = JSON.stringify(readTree(join(environment.DREY_HOME, "contexts")))
  for (const secret of secrets) expect(kept.toLowerCase()).not.toContain(secret.toLowerCase().replace(/ /g, "-"))
  expect(kept).toContain("kane")
})

test("a memory of more than 64 KB is refused with a message, and nothing of it is stored", async () => {
  const { call, root } = openTestCalls()
  const long = "The queue stops at midnight. ".repeat(3000)
  const before = JSON.stringify(readTree(root))
  const answers = [
    await call("memory_write", { content: long }),
    await call("memory_write", { content: "x", title: long }),
    await call("memory_write", { content: "x", tags: [long] }),
    await call("memory_write", { content: long, scope: "agent:kane" }),
    await call("squad_decide", { author: "kane", summary: "x", body: long }),
  ]
  for (const { text, isError } of answers) {
    expect(isError).toBe(true)
    expect(text).toMatch(/^Not stored: the memory has \d+ KB, more than the limit of 64 KB\n/)
  }
  expect(JSON.stringify(readTree(root))).toBe(before)
  expect((await call("memory_write", { content: long.slice(0, 60_000), class: "LOCAL" })).isError).toBeUndefined()
})

test("a file of team state grows to 1 MB at most", async () => {
  const { call, root } = openTestCalls()
  const key = "log/topic.md"
  const half = "a line of a log\n".repeat(40_000)
  expect((await call("squad_state_write", { key, content: half })).isError).toBeUndefined()
  const refused = await call("squad_state_append", { key, content: half })
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("more than 1 MB") })
  expect(readFileSync(join(root, ".squad", key), "utf8")).toBe(half)
})
