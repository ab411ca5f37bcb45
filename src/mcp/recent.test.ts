import { rmSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { claudeSession } from "../../test/claude-session.ts"
import { type LearningPlace, learningPlace, say } from "../../test/learning-place.ts"
import { semEntry } from "../../test/legacy-fixtures.ts"
import { openCalls } from "./calls.ts"

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

/** Calls the tool as a client would that has told, or not told, its session. */
function recentIn(place: LearningPlace, session?: string) {
  const calls = openCalls({ environment: place.env, warn: () => {} })
  onTestFinished(() => calls.close())
  const caller = { agent: undefined, client: "claude-code", session, folders: [place.root], progress: () => {} }
  return async (given: Record<string, unknown> = {}): Promise<string> => {
    const outcome = await calls.callTool("recent", given, caller)
    return outcome.kind === "answer" ? outcome.answer.text : `refused: ${outcome.text}`
  }
}

test("an agent that asks what happened last time gets the session before its own, in quoted lines", async () => {
  const place = learningPlace()
  say(place, "Always use pnpm in this repository, never npm.", { session: "before", start: hoursAgo(5) })
  await (await place.learning()).ingest()
  claudeSession(place.home, { cwd: place.root, session: "now", start: hoursAgo(0.01) }).user("What happened last time?")
  const text = await recentIn(place, "now")()
  const [head = "", ...lines] = text.split("\n")
  expect(head).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d to \d{4}-\d\d-\d\d \d\d:\d\d UTC, Claude Code, \d+ min:$/)
  for (const line of lines) expect(line).toMatch(/^> /)
  expect(text).toMatch(/^> \w[\w ]*: Show the sum of all rows in the invoice table/m)
  expect(text).toMatch(/^> learned: \[m:[0-9a-f]{6}\] \w+: .*pnpm/m)
  expect(text).toContain("> files: src/table.ts")
  expect(text).not.toContain("What happened last time?")
  expect(await recentIn(place)()).toMatch(/still running:\n> running: What happened last time\?/)
})

test("what was written down then is listed with ids that memory_read opens", async () => {
  const place = learningPlace({
    files: {
      ".squad/decisions.md": `${semEntry("2026-02-14T08:00:00Z", "decision", "Use <system> tags", { author: "Kane" })}`,
      ".squad/log/2026-02-14T12-00-00Z-cache-hunt.md": "# Log\n",
    },
  })
  const text = await recentIn(place)()
  expect(text).toMatch(
    /^Entries and notes:\n> \[sem-[0-9a-f]{12}\] decision, 2026-02-14, Kane, \.squad\/decisions\.md:1: Use &lt;system> tags$/m,
  )
  expect(text).toContain("> log, 2026-02-14, .squad/log/2026-02-14T12-00-00Z-cache-hunt.md: cache hunt")
})

test("several sessions are asked for by number or time, and what is not understood is refused", async () => {
  const place = learningPlace()
  for (const [session, hours] of [["one", 100] as const, ["two", 5] as const])
    claudeSession(place.home, { cwd: place.root, session, start: hoursAgo(hours) }).user(`Begin session ${session}`)
  const recent = recentIn(place)
  expect(await recent()).not.toContain("session one")
  expect(await recent({ limit: 5 })).toMatch(/session two[\s\S]*session one/)
  expect(await recent({ since: "2w" })).toMatch(/session two[\s\S]*session one/)
  expect(await recent({ since: "1h" })).toBe("Nothing is recorded for that time.")
  expect(await recent({ since: "yesterday" })).toBe('refused: "since" must be a time such as 24h, 7d, 2w or 3m')
  expect(await recent({ limit: 0 })).toMatch(/^refused: recent: "limit" must be a whole number from 1 to 20/)
})

test("of a repository that is not trusted, the answer says so and shows nothing learned", async () => {
  const place = learningPlace()
  say(place, "Always use pnpm in this repository, never npm.")
  await (await place.learning()).ingest()
  rmSync(join(place.env.DREY_HOME, "trust.json"))
  const text = await recentIn(place)()
  expect(text).toMatch(/^This repository is not trusted yet/)
  expect(text).not.toContain("learned:")
})
