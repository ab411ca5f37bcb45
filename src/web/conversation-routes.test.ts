import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import { expect, test } from "vitest"
import { claudeSession } from "../../test/claude-session.ts"
import { trustForTest } from "../../test/trust-for-test.ts"
import type { ConversationDetail, ConversationReplay, Conversations } from "../recall/browse/app-api.ts"
import { openTestWeb } from "./test-web.ts"

/** Two sessions of Claude Code, the newer one with a command that failed and a commit. */
async function openWithConversations() {
  const web = await openTestWeb()
  const { root, environment, drey } = web
  trustForTest(environment.DREY_HOME, root)
  const older = claudeSession(environment.HOME, { cwd: root, session: "aaaa0000", start: "2026-03-01T09:00:00Z" })
  older.user("Add a dark theme to the settings page")
  older.edit("ui/theme.css")
  older.user("Thanks, that works.")
  const newer = claudeSession(environment.HOME, { cwd: root, session: "bbbb0000", start: "2026-03-02T09:00:00Z" })
  newer.user("The export gives up at the first timeout, retry it")
  newer.edit("src/export.ts")
  newer.run("npm test", "AssertionError: expected 3 to be 7", 1)
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=K", "-c", "user.email=k@e.com", ...args])
  git("init", "-q")
  git("commit", "-q", "--allow-empty", "-m", "fix(export): retry", "--date", "2026-03-02T09:00:30Z")
  newer.run('git commit -m "fix(export): retry"', "[main 1234567] fix(export): retry")
  newer.assistant(`It retries **now**. The token is ghp_${"a1B2c3D4e5F6g7H8i9".repeat(2)}.`)
  await drey.memories.ingest()
  return { ...web, path: newer.path }
}

test("conversations are listed newest first, searched, and a wrong query is reported", async () => {
  const { get } = await openWithConversations()
  const { rows } = await get<Conversations>("/api/conversations")
  expect(rows.map(({ title }) => title)).toEqual([
    "The export gives up at the first timeout, retry it",
    "Add a dark theme to the settings page",
  ])
  const titles = async (q: string) =>
    (await get<Conversations>(`/api/conversations?q=${encodeURIComponent(q)}`)).rows.map(({ title }) => title)
  expect((await titles("dark theme"))[0]).toBe("Add a dark theme to the settings page")
  expect(await titles("file:src/export.ts")).toEqual(["The export gives up at the first timeout, retry it"])
  expect(await titles("session:aaaa source:decisions")).toEqual(["Add a dark theme to the settings page"])
  const { rows: none, problem } = await get<Conversations>("/api/conversations?q=client%3A%22open")
  expect({ none, problem }).toEqual({ none: [], problem: "Missing closing quote." })
})

test("a conversation is shown with its steps and commits, and as its summary once the transcript is gone", async () => {
  const { get, ask, path } = await openWithConversations()
  const [row] = (await get<Conversations>("/api/conversations")).rows
  const address = `/api/conversations/${row?.id}`
  const detail = await get<ConversationDetail>(address)
  expect(detail).toMatchObject({ client: "claude-code", session: "bbbb0000", edited: ["src/export.ts"] })
  expect(detail.commits).toEqual([{ id: expect.stringMatching(/^[0-9a-f]{12}$/), title: "fix(export): retry" }])
  expect(detail.place).toBe(`${path}:1`)
  const { steps, missing } = await get<ConversationReplay>(`${address}/replay`)
  expect(missing).toBeNull()
  expect(steps.map(({ by, kind }) => `${by} ${kind}`).slice(0, 5)).toEqual([
    "user message",
    "agent tool_call",
    "tool tool_result",
    "agent tool_call",
    "tool tool_result",
  ])
  expect(steps[4]).toMatchObject({ isError: true, text: expect.stringContaining("expected 3 to be 7") })
  expect(JSON.stringify({ detail, steps })).not.toContain("ghp_")
  rmSync(path)
  const gone = await get<ConversationReplay>(`${address}/replay`)
  expect(gone).toEqual({ steps: [], missing: `${path} no longer exists` })
  expect((await get<ConversationDetail>(address)).said[0]?.text).toContain("The export gives up")
  expect((await ask("/api/conversations/ep-2020-01-01-000000000000")).status).toBe(404)
  const unknown = await get<ConversationReplay>(`/api/conversations/${encodeURIComponent("../../etc")}/replay`)
  expect(unknown).toEqual({ steps: [], missing: "nothing of it is stored any more" })
})
