import { expect, test } from "vitest"
import type { EpisodeEvent } from "../episode.ts"
import { adviceOf, runVerdict, userVerdict } from "./user-verdict.ts"

const said = (summary: string, given: Partial<EpisodeEvent> = { opener: "correction" }): EpisodeEvent => ({
  id: "e",
  ts: "",
  line: 1,
  role: "user",
  kind: "message",
  summary,
  ...given,
})

const yarn = "We use yarn here, never npm."

test.each([
  [yarn, "why did you use yarn? that's wrong"],
  [yarn, "no!! not yarn again"],
  [yarn, "stop using yarn"],
  [yarn, "Why on earth yarn?"],
  [yarn, "yarn is wrong, use pnpm"],
  [yarn, "nein, kein yarn!"],
  [yarn, "non, pas yarn"],
  ["This project uses pnpm.", "don't use pnpm, we moved to bun"],
  ["Run `make generate` after changing a proto file.", "no, don't run make generate"],
  ["Add a changelog entry with every commit.", "stop adding changelog entries to every commit"],
  ["Never push to the main branch.", "you can push to the main branch, it's fine"],
])("%j is contradicted by %j", (memory, message) => {
  expect(userVerdict(adviceOf(memory), said(message))).toBe("contradicts")
})

test.each([
  [yarn, "no, use yarn, not npm!"],
  [yarn, "why did you use npm again?"],
  [yarn, "why not yarn?"],
  [yarn, "why didn't you use yarn"],
  ["Add a changelog entry with every commit.", "you forgot the changelog entry for this commit"],
  ["Never push to the main branch.", "no! never push to the main branch"],
])("%j is repeated by %j", (memory, message) => {
  expect(userVerdict(adviceOf(memory), said(message))).toBe("repeats")
})

test.each([
  [yarn, said("no, the button should be blue")],
  [yarn, said("add yarn workspaces to the docs", {})],
  [yarn, said("why does yarn take so long to install?", {})],
  [yarn, said("is yarn faster than npm?", {})],
  [yarn, said("why did you use yarn? that's wrong", { role: "assistant" })],
  ["Add a changelog entry with every commit.", said("no, commit this separately")],
  ["Never push to the main branch.", said("that's wrong, the main menu is gone")],
])("%j has nothing to do with %j", (memory, message) => {
  expect(userVerdict(adviceOf(memory), message)).toBeUndefined()
})

const ran = (command: string, given: Partial<EpisodeEvent> = {}): EpisodeEvent =>
  said("", { role: "tool", kind: "tool_result", action: "run", command, ...given })

test.each<[string, EpisodeEvent, string | undefined]>([
  [yarn, ran("yarn add zod"), "passed"],
  [yarn, ran("yarn add zod", { is_error: true }), "failed"],
  [yarn, ran("npm install zod"), "against"],
  [yarn, ran("yarn test", { is_error: true, test: "failed", head: "yarn test" }), undefined],
  [yarn, ran("ls"), undefined],
  [yarn, ran("yarn add zod", { incident: "refused" }), undefined],
  ["When `npm test` fails, run `make db` first: that fixed it before.", ran("make db"), "passed"],
  ['`pytest -q` fails with "not found"; `uv run pytest -q` works.', ran("uv run pytest -q"), "passed"],
  ['`pytest -q` fails with "not found"; `uv run pytest -q` works.', ran("pytest -q", { is_error: true }), "against"],
  ["There is no `http` on this machine; `xh` works.", ran("xh :8080/orders"), "passed"],
  ["There is no `http` on this machine; `xh` works.", ran("http :8080/orders", { is_error: true }), "against"],
  ['`just tidy` enforces the rule no-var: "Unexpected var".', ran("just tidy"), undefined],
  ['`just tidy` enforces the rule no-var: "Unexpected var".', ran("just tidy", { is_error: true }), undefined],
])("%j and %j: %s", (memory, event, verdict) => {
  expect(runVerdict(adviceOf(memory), event)).toBe(verdict)
})
