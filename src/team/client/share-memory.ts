import { parseMemoryKey } from "../../formats/memory-key.ts"
import { clearText } from "../../governance/cleared.ts"
import { clearMemoryText, clearName } from "../../store/clear-words.ts"
import type { Memory } from "../../store/memory.ts"
import { clearTrigger } from "../../store/trigger.ts"
import type { SharedMemory } from "../api.ts"

/** What would be sent of a memory, or why it cannot be shared. The reason never contains the text. */
export type Sharing = { kind: "ready"; memory: SharedMemory } | { kind: "refused"; id: string; reason: string }

/** Prepares a memory for sharing; every word passes the governance check. `team` null: share with the whole organisation. */
export function shareMemory(memory: Memory, team: string | null): Sharing {
  const refused = (reason: string): Sharing => ({ kind: "refused", id: memory.id, reason })
  if (memory.owner.type !== "user") return refused("it already belongs to the team")
  if (memory.status === "deprecated") return refused("it has ended")
  const cleared = clearMemoryText(memory.text)
  if (cleared.kind === "refused") return refused(`it contains sensitive content: ${cleared.reason}`)
  const key = clearName(parseMemoryKey(memory.key ?? ""))
  if ((key === undefined) !== (memory.key === undefined)) return refused("its key contains a secret")
  const path = memory.pathPrefix === undefined ? undefined : clearText(memory.pathPrefix, "reject")
  if (path?.kind === "refused") return refused(`its path contains sensitive content: ${path.reason}`)
  const { project, scope, kind, tier, polarity, status, confidence, expires, trigger, origin, trust, created } = memory
  return {
    kind: "ready",
    memory: {
      project: project ?? null,
      scope,
      pathPrefix: path?.text ?? null,
      kind,
      tier,
      polarity,
      key: key ?? null,
      text: cleared.text,
      status,
      confidence,
      expires: expires ?? null,
      trigger: clearTrigger(trigger),
      origin,
      trust,
      created,
      sourceMemory: memory.id,
      team,
    },
  }
}
