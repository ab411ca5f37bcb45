import { cpSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { testClient } from "../transcripts/client-contract.ts"
import { readRecords } from "../transcripts/test-transcript.ts"
import { copilotCli } from "./transcript.ts"

const fixtures = join(import.meta.dirname, "..", "..", "..", "test", "fixtures", "transcripts", "copilot-cli")

for (const form of ["1.0.102", "1.0.64", "1.0.30"]) {
  const install = (home: string) => cpSync(join(fixtures, form), join(home, ".copilot"), { recursive: true })
  testClient(copilotCli, { form, install, grows: true })
}
testClient(copilotCli, {
  form: "moved",
  install: (home) => cpSync(join(fixtures, "1.0.64"), join(home, "elsewhere"), { recursive: true }),
  environment: (home) => ({ COPILOT_HOME: join(home, "elsewhere") }),
})

let number = 0
const record = (type: string, data: object = {}) => ({
  type,
  data,
  id: `e-${number++}`,
  timestamp: "2026-03-02T09:00:00.000Z",
  parentId: null,
})
const start = (id: string, toolName: string, given: object) =>
  record("tool.execution_start", { toolCallId: id, toolName, arguments: given })
const complete = (id: string, data: object) => record("tool.execution_complete", { toolCallId: id, ...data })
const read = async (...records: object[]) => (await readRecords(copilotCli, records)).events

test("a call that the user did not permit is refused, not failed", async () => {
  const events = await read(
    start("c-1", "bash", { command: "rm -r x" }),
    record("permission.completed", { toolCallId: "c-1", result: { kind: "denied-interactively-by-user" } }),
    complete("c-1", { success: false, error: { message: "The user rejected this", code: "denied" } }),
    start("c-2", "edit", { path: "a.ts" }),
    complete("c-2", { success: false, error: { message: "No match found", code: "failure" } }),
  )
  expect(events.filter(({ kind }) => kind === "tool_result")).toMatchObject([
    { incident: "refused", text: "" },
    { isError: true, text: "No match found" },
  ])
})

test("stopping, compacting and leaving are marks, and an open call has no result", async () => {
  const events = await read(
    start("c-1", "bash", { command: "npm test" }),
    record("abort", { reason: "user_abort" }),
    record("session.compaction_complete", { summaryContent: "all of it" }),
    record("session.shutdown"),
  )
  expect(events.map(({ kind, mark, incident }) => [kind, mark ?? incident])).toEqual([
    ["tool_call", undefined],
    ["mark", "interrupted"],
    ["mark", "compacted"],
    ["mark", "session end"],
  ])
})

test("text from other sources is not the user's", async () => {
  const events = await read(
    record("user.message", { content: "skill text", source: "skill" }),
    record("user.message", { content: "", transformedContent: "go on" }),
    record("user.message", { content: "hello", source: "user" }),
  )
  expect(events.map(({ text }) => text)).toEqual(["hello"])
})

test("a resumed session has the folder in which it was resumed", async () => {
  const [first, second] = await read(
    record("session.start", { sessionId: "s-1", context: { cwd: "/work/a", branch: "main" } }),
    record("user.message", { content: "one" }),
    record("session.resume", { context: { cwd: "/work/b" } }),
    record("user.message", { content: "two" }),
  )
  expect(first).toMatchObject({ session: "s-1", cwd: "/work/a", branch: "main" })
  expect(second).toMatchObject({ session: "s-1", cwd: "/work/b", branch: "main" })
})
