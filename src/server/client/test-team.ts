import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { learnedPath } from "../../memories/ledger.ts"
import { sqliteStore } from "../../memories/sqlite-store.ts"
import { openTeam } from "./team.ts"

/** For tests: a user's home with learned memory, and the team as seen from there. The clock does not move by itself. */
export function testTeam() {
  const folder = mkdtempSync(join(tmpdir(), "drey-team-"))
  const home = join(folder, "home")
  const store = sqliteStore(learnedPath(home))
  const clock = { now: new Date("2026-03-01T12:00:00.000Z") }
  const projects = ["p-one"]
  const team = openTeam({
    home,
    store,
    projects: async () => projects,
    project: async () => "p-one",
    userHome: "/data/kim",
    now: () => clock.now,
  })
  onTestFinished(async () => {
    await team.close()
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { home, store, team, clock, projects }
}
