import { rmSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { claudeSession } from "../../test/claude-session.ts"
import { allClients } from "../clients/all-clients.ts"
import { learnedPath } from "../memories/ledger.ts"
import { sqliteStore } from "../memories/sqlite-store.ts"
import { replayEpisode } from "./replay.ts"
import { openTestLearning } from "./test-learning.ts"

test.each([
  ["deleted", (path: string) => rmSync(path)],
  ["emptied", (path: string) => truncateSync(path)],
])("a transcript that is %s while it is replayed gives what was read, or the reason", async (_, change) => {
  const { home, root, learning } = openTestLearning()
  const session = claudeSession(home, { cwd: root, session: "one", start: "2026-03-01T09:00:00Z" })
  session.user("Show the sum of all rows")
  for (let at = 0; at < 400; at++) session.run(`npm test ${at}`, `${at} passed ${"and more ".repeat(40)}`)
  session.user("Thanks, that works.")
  await learning.ingest()
  const store = sqliteStore(learnedPath(join(home, ".drey")))
  onTestFinished(() => store.close())
  const [conversation] = await learning.conversations("2026-03")
  const clients = allClients.map((client) => ({
    ...client,
    async *read(...given: Parameters<typeof client.read>) {
      let isFirst = true
      for await (const batch of client.read(...given)) {
        yield batch
        if (isFirst) change(session.path)
        isFirst = false
      }
    },
  }))
  const { steps, missing } = await replayEpisode({ store, clients }, conversation?.id ?? "")
  expect(steps[0]?.text).toBe("Show the sum of all rows")
  expect(missing ?? "complete").toMatch(
    /^(?:complete|its transcript has changed since|only the first 2000 steps are shown|.*one\.jsonl.*)$/,
  )
  const { missing: after } = await learning.replay(conversation?.id ?? "")
  expect(after).toMatch(/no longer exists|has changed since/)
})
