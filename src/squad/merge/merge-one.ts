import type { Work } from "../tidy/work.ts"
import { type MergeOptions, mergeInbox } from "./merge-inbox.ts"

/** The result for a single entry: merged, a copy of an existing one, or left in the inbox. */
export type MergeOutcome =
  | { kind: "merged"; id: string }
  | { kind: "copy"; of: string }
  | { kind: "refused"; reason: string }

/** Plans the merge of one inbox file with one entry. */
export function mergeOne(work: Work, path: string, options: Omit<MergeOptions, "only">): MergeOutcome {
  const { merged, duplicates, left, quarantined } = mergeInbox(work, { ...options, only: [path] })
  const [id] = merged
  if (id !== undefined) return { kind: "merged", id }
  const [copy] = duplicates
  if (copy) return { kind: "copy", of: copy.of }
  return { kind: "refused", reason: left[0]?.why ?? quarantined[0]?.lines[0]?.reason ?? "it contains no entry" }
}
