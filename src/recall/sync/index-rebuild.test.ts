import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { legacyEntry } from "../../../test/legacy-fixtures.ts"
import { makeRepository, writeFiles } from "../../../test/run-cli.ts"
import type { IndexStore } from "../../index/index-store.ts"
import { sqliteIndex } from "../../index/sqlite-index.ts"
import { findStore } from "../../team/team-folder.ts"
import { reindex } from "./index-rebuild.ts"
import { syncIndex } from "./synced-recall.ts"

const now = () => new Date("2026-02-16T12:00:00Z")

test("items that another process indexed after the files were read survive a rebuild", async () => {
  const root = makeRepository({ ".squad/decisions.md": legacyEntry("2026-02-05", "Use tabs") })
  const store = findStore(root, `${root}/home`)
  const index = await sqliteIndex(join(makeRepository({}), "index.db"))
  onTestFinished(() => index.close())
  await syncIndex(index, { store, learned: undefined }, now)
  let writes = 0
  const overtaken: IndexStore = {
    ...index,
    async rebuild(...reading) {
      if (writes++ === 0) {
        writeFiles(root, { ".squad/decisions/inbox/x.md": legacyEntry("2026-02-07", "Use doors") })
        await syncIndex(index, { store, learned: undefined }, now)
      }
      return index.rebuild(...reading)
    },
  }
  const { stats } = await reindex(overtaken, store, { now, sessions: undefined, learned: undefined })
  expect([stats.items, writes]).toEqual([2, 2])
})
