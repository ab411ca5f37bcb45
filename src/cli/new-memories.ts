import type { Memories } from "../drey/memories.ts"
import { dropUnseen } from "../formats/drop-unseen.ts"
import { handleOf } from "../formats/memory-handle.ts"
import type { OperationOutcome } from "../store/learned-store.ts"
import { colors } from "./colors.ts"

/** One line per new active memory, and per rejected proposal with its reason. */
export async function newMemories(
  learning: Pick<Memories, "find">,
  outcomes: readonly OperationOutcome[],
  mostShown = 20,
): Promise<string[]> {
  const ids = outcomes.flatMap((outcome) =>
    outcome.kind === "added" || outcome.kind === "replaced" || outcome.kind === "refined" ? [outcome.id] : [],
  )
  const found = (await Promise.all(ids.map((id) => learning.find(id)))).flat()
  const live = found.filter(({ status }) => status !== "deprecated")
  const lines = live.slice(0, mostShown).map(({ id, kind, text }) => `  ${handleOf(id)}  ${kind}: ${dropUnseen(text)}`)
  const more = live.length > mostShown ? [colors.dim(`  and ${live.length - mostShown} more: drey status --all`)] : []
  const refused = outcomes.flatMap((outcome) =>
    outcome.kind === "dropped" ? [colors.dim(`  rejected: ${dropUnseen(outcome.reason)}`)] : [],
  )
  return [...lines, ...more, ...new Set(refused)]
}
