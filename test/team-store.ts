import { type Drey, openDrey } from "../src/drey.ts"
import type { DreyOptions } from "../src/project.ts"
import { legacyEntry, semEntry } from "./legacy-fixtures.ts"
import { makeRepository } from "./run-cli.ts"

/** A small team folder with something in every place that can be recalled, and no word in two of them. */
export const teamFiles = {
  ".squad/team.md": "# Team\n\n| Name | Role |\n|---|---|\n| Kane | Backend |\n| Dallas | Frontend |\n",
  ".squad/decisions.md": `# Decisions

${semEntry("2026-02-10T09:00:00Z", "decision", "Log in with short tokens", {
  author: "Kane",
  fields: ["**scope:** team", "**tags:** api, login", "**contributors:** Wren"],
  details:
    "The session lasts fifteen minutes; refreshToken in src/auth/session_store.ts renews it, see #123 and v1.4.2.",
})}
${semEntry("2026-02-12T09:00:00Z", "directive", "Never push on Friday", { fields: ["**scope:** project"] })}
${semEntry("2026-02-14T09:00:00Z", "note", "The kitchen is on the left", { fields: ["**scope:** team", "**tags:** office"] })}
${legacyEntry("2026-02-05", "Use lanterns in every hall")}
`,
  ".squad/decisions-archive.md": semEntry("2025-06-01T09:00:00Z", "decision", "Use punch cards"),
  ".squad/decisions/inbox/rook-elevator.md": legacyEntry("2026-02-15", "Paint the elevator", { by: "Rook" }),
  ".squad/agents/kane/history.md":
    "# Kane\n\n## Learnings\n\n- 2026-02-03: The scheduler drops jobs at midnight\n- 2026-02-04: The proxy needs a warm cache\n",
  ".squad/agents/dallas/history.md": "# Dallas\n\n## Learnings\n\n- 2026-02-06: The carousel flickers on Safari\n",
  ".squad/skills/release-train/SKILL.md":
    "---\nname: release-train\ndescription: How a release leaves the yard\ndomain: delivery\n---\n\nTag it, then wait for the whistle.\n",
}

/** A team folder with its own home, open. The clock is fixed shortly after the last entry of `teamFiles`. */
export function openTeam(
  files: Record<string, string | Uint8Array> = teamFiles,
  options: DreyOptions = {},
): { root: string; home: string; drey: Drey; told: string[] } {
  const root = makeRepository(files)
  const home = makeRepository({})
  return { root, home, ...reopen(root, home, options) }
}

/** Another process, as far as the index can tell: nothing is shared but the files. */
export function reopen(root: string, home: string, options: DreyOptions = {}): { drey: Drey; told: string[] } {
  const told: string[] = []
  const now = () => new Date("2026-02-16T12:00:00Z")
  const drey = openDrey({ root, environment: { DREY_HOME: home }, now, warn: (text) => told.push(text), ...options })
  return { drey, told }
}
