import { readBundle } from "../../../../src/team/bundle/bundle.ts"
import { isAdr, readAdrs } from "../../../../src/team/import/adr.ts"
import { isClineFile, readCline, readRules } from "../../../../src/team/import/rules-files.ts"
import { brokenLines, isServerMemory, readServerMemory } from "../../../../src/team/import/server-memory.ts"
import type { Reader } from "../reader.ts"

export const teamBundle: Reader = {
  name: "team-bundle",
  share: 40,
  examples: () => [
    JSON.stringify({
      version: "1.0",
      exported_at: "2026-03-02T09:00:00.000Z",
      team_md: "# Team\n",
      decisions_md: "# Decisions\n",
      casting: { registry: { kane: {} }, policy: [] },
      agents: { kane: { charter: "# Kane\n", history: "# History\n" } },
      skills: ["---\nname: release\n---\nTag.\n"],
      drey: { version: "1", files: { "identity/now.md": "x" }, skillDirs: ["release"] },
    }),
  ],
  open: () => ({ read: (input) => [...readBundle(input.toString("utf8"), "bundle.json")] }),
}

/** What other tools keep, each as an import takes it. */
export const foreignNotes: Reader = {
  name: "foreign-notes",
  share: 60,
  examples: () => [
    "# 4. Use one index\n\nDate: 2026-02-03\n\n## Status\n\nAccepted, supersedes [3](0003-two.md)\n\n## Context\n\nTwo are slow.\n\n## Decision\n\nOne.\n",
    "---\nstatus: accepted\ndate: 2026-02-03\ndeciders: [Kane]\n---\n# Use one index\n\n## Context and Problem Statement\n\nSlow.\n",
    "---\ndescription: Tests\nglobs: src/**\nalwaysApply: true\n---\n\n# Rules\n\n- Never push on Friday\n- Run `npm test`\n  - twice\n",
    '{"type":"entity","name":"Kane","entityType":"person","observations":["likes tabs"]}\n{"type":"relation","from":"Kane","to":"Rook","relationType":"knows"}\n',
    "# Active Context\n\n## Current focus\n\n- Prices\n\n## Recent Changes\n\n- 2026-02-03: cents\n",
  ],
  open: () => ({
    read(input) {
      const text = input.toString("utf8")
      const named = (path: string) => [{ path, text }]
      const [adr] = named("docs/adr/0004-use-one-index.md")
      return [
        adr && isAdr(adr) ? readAdrs([adr]) : readAdrs(named("0004.md")),
        readRules(named(".cursor/rules/tests.mdc")),
        named("memory.jsonl").map(isServerMemory),
        readServerMemory(named("memory.jsonl")),
        brokenLines(named("memory.jsonl")),
        named("memory-bank/activeContext.md").map(isClineFile),
        readCline(named("memory-bank/activeContext.md")),
      ]
    },
  }),
}
