import { expect, test } from "vitest"
import type { StoredItem } from "../index/index-store.ts"
import { eligibilityOf } from "./eligibility.ts"
import type { LearnedPayload } from "./payload.ts"

const now = Date.parse("2026-02-16T12:00:00Z")

const decision: StoredItem = {
  id: "sem-1",
  source: "decisions",
  type: "decision",
  class: "DECISION",
  load: "ALWAYS",
  title: "Use tabs",
  text: "Everywhere.",
  tags: [],
  author: "Wren",
  contributors: [],
  agent: undefined,
  scope: "team",
  pathPrefix: undefined,
  path: ".squad/decisions.md",
  line: 1,
  at: now,
  expires: undefined,
  governed: false,
  supersedes: [],
  supersededBy: [],
  payload: "{}",
  row: 1,
  origin: ".squad/decisions.md",
  position: 0,
}

function learned(type: string, change: Partial<LearnedPayload>): Partial<StoredItem> {
  const payload = {
    kind: "learned",
    status: "provisional",
    tier: "short_term",
    confidence: 0.7,
    evidence: 1,
    ...change,
  }
  return { source: "learned", type, payload: JSON.stringify(payload) }
}

const stand = (change: Partial<StoredItem>, paths: string[] = []) => {
  const standing = eligibilityOf({ ...decision, ...change }, { agent: "kane", paths, now })
  return standing.kind === "left" ? standing.reason : standing.lane
}

test.each([
  [{}, "team"],
  [{ type: "directive" }, "rules"],
  [{ class: "POLICY", source: "policy" }, "rules"],
  [{ class: "LOCAL", load: "ALWAYS", marked: true, type: "note" }, "rules"],
  [{ load: "ALWAYS", marked: true }, "rules"],
  [{ load: "ALWAYS", marked: true, source: "inbox", governed: true }, "waiting in the inbox"],
  [{ load: "ALWAYS", marked: true, source: "history", agent: "kane" }, "own"],
  [{ source: "archive" }, "team"],
  [{ source: "archive", type: "directive" }, "rules"],
  [{ source: "archive", agent: "kane" }, "own"],
  [{ class: "LOCAL", load: "ON-DEMAND", type: "note" }, "team"],
  [{ source: "history", agent: "kane" }, "own"],
  [{ source: "skills", type: "skill" }, "team"],
  [learned("guard", {}), "warnings"],
  [learned("pattern", { tier: "emergency" }), "warnings"],
  [learned("pattern", {}), "learned"],
  [learned("pattern", { confidence: 0.5 }), "low confidence: only one piece of evidence so far"],
  [learned("pattern", { confidence: 0.5, evidence: 2 }), "learned"],
  [{ source: "inbox", governed: true }, "waiting in the inbox"],
  [{ source: "inbox" }, "waiting in the inbox"],
  [{ source: "inbox", type: "directive" }, "waiting in the inbox"],
  [{ source: "archive", load: "ARCHIVE" }, "archived"],
  [{ load: "ARCHIVE", type: "directive" }, "archived"],
  [{ load: "NEVER", type: "directive" }, "marked as never loaded"],
  [{ supersededBy: ["sem-2"], type: "directive" }, "superseded by sem-2"],
  [{ source: "learned", expires: now }, "expired"],
  [{ expires: now - 1 }, "team"],
] satisfies [Partial<StoredItem>, string][])("%j: %s", (change, outcome) => {
  expect(stand(change)).toBe(outcome)
})

test.each([
  ["src/api", "src/api", true],
  ["src/api", "src/api/routes.ts", true],
  ["src/api/", "src/api/routes.ts", true],
  ["src/api", "./src/api/", true],
  ["src/api", "src\\api\\routes.ts", true],
  ["src/api", "src/web/../api/routes.ts", true],
  ["src/api", "src/apis/routes.ts", false],
  ["src/api", "src/api/../web/x.ts", false],
  ["src/api", "src", false],
  ["src/api", "", false],
])("an item for %s and work in %j: %s", (pathPrefix, path, may) => {
  expect(stand({ pathPrefix }, ["elsewhere/x.ts", path])).toBe(may ? "team" : `only for work in ${pathPrefix}`)
})
