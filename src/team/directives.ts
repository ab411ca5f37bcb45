import { type RememberOutcome, remember } from "./remember.ts"
import { readRoster } from "./team-files.ts"
import type { TeamStore } from "./team-folder.ts"
import { isDirective } from "./team-rules.ts"

/** What became of a sentence that may be a rule. */
export type Capture =
  | { kind: "captured"; id: string; acknowledgement: string }
  | { kind: "known"; id: string; acknowledgement: string }
  | { kind: "proposed"; id: string; path: string; acknowledgement: string }
  | { kind: "no-directive" }
  | Extract<RememberOutcome, { kind: "refused" }>

type Words = { text: string; author: string; onBehalfOf?: string | undefined }

/** Adds a rule that the user stated to the team's decisions; with `review`, to the inbox until the user accepts it. `isJudged`: it is known to be one. */
export async function captureDirective(
  store: TeamStore,
  words: Words,
  now: Date,
  { review, isJudged = false }: { review?: string | undefined; isJudged?: boolean } = {},
): Promise<Capture> {
  if (!isJudged && !isDirective(words.text, readRoster(store))) return { kind: "no-directive" }
  const result = await remember(store, { ...words, type: "directive" }, now, {
    propose: review ?? false,
    command: "capture",
  })
  if (result.kind === "refused") return result
  const { kind, id, title, path } = result
  if (kind === "saved") return { kind: "captured", id, acknowledgement: `📌 Captured. ${title}` }
  if (kind === "proposed") return { kind, id, path, acknowledgement: `Proposed for review: ${title}` }
  const acknowledgement =
    review === undefined
      ? `📌 Captured. The team already has it: ${title}`
      : `The team already has it, as a rule or a proposal: ${title}`
  return { kind, id, acknowledgement }
}
