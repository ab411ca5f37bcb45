import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { semEntry } from "../../../../test/legacy-fixtures.ts"
import { expectThat } from "../reader.ts"

/** A team's repository with a home of its own, to be asked and written to by inputs; nothing may be written beside the two. */
export function makeFuzzProject() {
  const folder = mkdtempSync(join(tmpdir(), "drey-fuzz-"))
  const [root, home, app] = ["root", "home", "app"].map((name) => join(folder, name)) as [string, string, string]
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  mkdirSync(home)
  const environment = { HOME: home, DREY_HOME: join(home, ".drey"), DREY_USER: "ines" }
  return {
    root,
    app,
    environment,
    /** To be called before `remove`. */
    check: () =>
      expectThat(readdirSync(folder).sort().join() === "app,home,root", "nothing is written beside the project"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const files = {
  "app/index.html": "<!doctype html><title>Drey</title>",
  "root/.squad/team.md": "# Team\n\n| Name | Role |\n|---|---|\n| Kane | Lead |\n| Rook | Tests |\n",
  "root/.squad/decisions.md": `# Decisions\n\n${semEntry("2026-02-01T09:00:00Z", "decision", "Keep sessions in Redis", { author: "Kane" })}\n${semEntry("2026-02-20T09:00:00Z", "directive", "Never log tokens")}`,
  "root/.squad/decisions/inbox/rook-retry.md": semEntry(
    "2026-03-05T09:00:00Z",
    "decision",
    "Retry uploads three times",
    { author: "Rook" },
  ),
  "root/.squad/agents/kane/history.md": "# History\n\n## Learnings\n\n- 2026-02-03: The scheduler drops jobs\n",
}
