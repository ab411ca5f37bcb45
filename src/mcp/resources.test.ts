import { expect, test } from "vitest"
import { teamFiles } from "../../test/team-store.ts"
import { openTestCalls } from "./test-calls.ts"

test("the decisions, each agent's history and the sessions can be listed and read", async () => {
  const { calls, caller, call } = openTestCalls(teamFiles)
  const { data } = await call("session_record", { action: "start", text: "Add a login" })
  const { session } = data as { session: string }
  const listed = await calls.listResources(caller)
  const uris = listed.kind === "answer" ? listed.answer.map(({ uri }) => uri) : []
  expect(uris).toEqual([
    "drey://decisions",
    "drey://agents/dallas/history",
    "drey://agents/kane/history",
    `drey://sessions/${session}`,
  ])
  const texts = await Promise.all(uris.map((uri) => calls.readResource(uri, caller)))
  expect(texts[0]).toMatchObject({ answer: { text: teamFiles[".squad/decisions.md"], mimeType: "text/markdown" } })
  expect(texts[2]).toMatchObject({ answer: { text: teamFiles[".squad/agents/kane/history.md"] } })
  const exported = texts[3]?.kind === "answer" ? texts[3].answer : undefined
  expect(JSON.parse(exported?.text ?? "")).toMatchObject({ id: session })
})

test.each([
  "drey://agents/nobody/history",
  "drey://agents/..%2F..%2Fsecret/history",
  "drey://agents/%2E%2E/history",
  "drey://sessions/2026",
  "drey://sessions/..%2F..",
  "drey://team.md",
  "file:///etc/passwd",
  "drey://agents/%ZZ/history",
])("%s cannot be read", async (uri) => {
  const { calls, caller } = openTestCalls({ ...teamFiles, ".squad/secret/history.md": "no\n" })
  const read = await calls.readResource(uri, caller)
  expect(read).toEqual({ kind: "answer", answer: undefined })
})

test("the prompt returns what memory has about a topic, and says so if there is nothing", async () => {
  const { calls, caller } = openTestCalls(teamFiles)
  const known = await calls.askTeamKnowledge("login\ntokens", caller)
  const text = known.kind === "answer" ? known.answer : ""
  expect(text).toMatch(/^What does the team know about "login tokens"\?/)
  expect(text).toContain("Log in with short tokens")
  const unknown = await openTestCalls().calls.askTeamKnowledge("zebras", { ...caller })
  expect(unknown).toMatchObject({ kind: "answer" })
  const empty = openTestCalls()
  const nothing = await empty.calls.askTeamKnowledge("zebras", empty.caller)
  expect(nothing.kind === "answer" && nothing.answer).toContain("The team's memory contains nothing about it")
  expect(await empty.calls.askTeamKnowledge(" ", empty.caller)).toEqual({
    kind: "trouble",
    text: "The topic is empty",
  })
})
