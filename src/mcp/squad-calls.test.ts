import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { legacyEntry } from "../../test/legacy-fixtures.ts"
import { openTestCalls } from "./test-calls.ts"

const decision = { author: "Kane", summary: "Use one index", body: "Two would drift apart." }

test("the same author may make the same decision twice, and both are kept", async () => {
  const { call, root } = openTestCalls({ ".squad/agents/kane/charter.md": "# Kane\n" })
  const answers = [
    await call("squad_decide", decision),
    await call("squad_decide", { ...decision, references: ["#12"] }),
  ]
  for (const { text } of answers)
    expect(text).toMatch(/^Decision written: kane-use-one-index-[0-9a-f]{8}\.md \(ID: [0-9a-f-]{36}\)$/)
  const inbox = join(root, ".squad/decisions/inbox")
  const texts = readdirSync(inbox).map((name) => readFileSync(join(inbox, name), "utf8"))
  expect(texts).toHaveLength(2)
  expect(texts.filter((text) => text.includes("**References:** #12"))).toHaveLength(1)
  for (const text of texts) expect(text).toContain("class: DECISION")
})

test("old entries move to the archive through MCP", async () => {
  const old = Array.from({ length: 60 }, (_, at) =>
    legacyEntry("2024-02-05", `Lantern ${at}`, { by: "Kane" }).replace(/\n$/, `\n${"It must burn. ".repeat(30)}\n`),
  )
  const { call, root } = openTestCalls({ ".squad/decisions.md": `# Decisions\n\n${old.join("\n")}` })
  const archive = join(root, ".squad/decisions-archive.md")
  expect((await call("memory_archive", { dryRun: true })).text).toContain(".squad/decisions.md")
  expect(existsSync(archive)).toBe(false)
  const { text, isError } = await call("memory_archive")
  expect(isError).toBeUndefined()
  expect(text).toContain(".squad/decisions.md")
  const [kept, moved] = [readFileSync(join(root, ".squad/decisions.md"), "utf8"), readFileSync(archive, "utf8")]
  for (let at = 0; at < 60; at++) expect(`${kept}${moved}`).toContain(`Lantern ${at}`)
  expect(kept.length).toBeLessThan(20_480)
  const refused = await call("squad_state_write", { key: "decisions-archive.md", content: "gone" })
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("memory_archive") })
  expect((await openTestCalls().call("memory_archive")).text).toBe("Nothing to archive.")
})

test("team state is written, appended to, read, listed and deleted with Squad's tools", async () => {
  const { call } = openTestCalls()
  const key = "log/2026-06-02T21-15-30Z-topic.md"
  expect((await call("squad_state_write", { key, content: "# Topic\n" })).text).toBe(`State written: ${key}`)
  expect((await call("squad_state_append", { key: `.squad/${key}`, content: "More.\n" })).text).toBe(
    `State appended: ${key}`,
  )
  expect((await call("squad_state_read", { key })).text).toBe("# Topic\nMore.\n")
  expect((await call("squad_state_list", { dir: "log" })).text).toBe("2026-06-02T21-15-30Z-topic.md")
  expect((await call("squad_state_list")).text.split("\n")).toEqual(["log", "memory", "team.md"])
  expect((await call("squad_state_delete", { key })).text).toBe(`State deleted: ${key}`)
  expect((await call("squad_state_list", { dir: "log" })).text).toBe("(empty)")
  expect(await call("squad_state_read", { key })).toEqual({ text: `State key not found: ${key}`, isError: true })
  expect((await call("squad_state_health")).text).toBe("State backend storage: Drey")
})

test("missing arguments of a state tool are reported: nothing is overwritten with nothing", async () => {
  const { call, root } = openTestCalls({ ".squad/decisions.md": "# Decisions\n" })
  expect((await call("squad_state_write", { key: "decisions.md" })).text).toContain('"content" is missing')
  expect((await call("squad_decide", { ...decision, author: " " })).isError).toBe(true)
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toBe("# Decisions\n")
})
