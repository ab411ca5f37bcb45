import type { EpisodeEvent } from "../episodes/episode.ts"
import { handleOf } from "../formats/memory-handle.ts"
import type { Memory } from "../store/memory.ts"

/**
 * Whether a memory was tested: part of its trigger occurred again. Preferences and invariants have no single trigger;
 * they are tested by work on their subject: by the words of the task, their key, or the files.
 */
export function isExposed(
  memory: Memory,
  events: readonly EpisodeEvent[],
  { isAbout }: { isAbout(memory: Memory): boolean },
): boolean {
  if (memory.kind === "preference" || memory.kind === "invariant")
    return events.some(isWork) && (isAbout(memory) || events.some(({ file }) => touches(memory, file)))
  const { tools, heads, paths, fingerprints } = memory.trigger
  // A tool's name alone, such as the shell's, occurs in every episode: it counts only without a more specific trigger.
  const isVague = heads.length + paths.length + fingerprints.length === 0
  return events.some(
    ({ tool_name, head, file, fingerprint }) =>
      (fingerprint !== undefined && fingerprints.includes(fingerprint)) ||
      (head !== undefined && heads.includes(head)) ||
      (file !== undefined && paths.includes(file)) ||
      (isVague && tool_name !== undefined && tools.includes(tool_name)),
  )
}

function touches({ trigger, pathPrefix }: Memory, file: string | undefined): boolean {
  if (file === undefined) return false
  return trigger.paths.includes(file) || (pathPrefix !== undefined && file.startsWith(`${pathPrefix}/`))
}

function isWork({ action }: EpisodeEvent): boolean {
  return action === "edit" || action === "run"
}

/** The error it was learned from occurred again. */
export function hasRecurred({ trigger }: Memory, events: readonly EpisodeEvent[]): boolean {
  return events.some(
    ({ is_error, fingerprint }) =>
      is_error === true && fingerprint !== undefined && trigger.fingerprints.includes(fingerprint),
  )
}

const sameWords = 0.8

/** The user had to repeat what the memory says. */
export function isCorrected(events: readonly EpisodeEvent[], likenessTo: (text: string) => number): boolean {
  return events.some(
    ({ role, opener, statement, raw_snippet, summary }) =>
      role === "user" &&
      (opener === "correction" || statement !== undefined) &&
      likenessTo(raw_snippet ?? summary) >= sameWords,
  )
}

/** The assistant cited it by handle. */
export function isCited({ id }: Memory, events: readonly EpisodeEvent[]): boolean {
  return events.some(({ role, cites }) => role === "assistant" && cites?.includes(handleOf(id)) === true)
}
