import type { RecallParts } from "../../../recall/recall-parts.ts"
import type { Steps } from "../../../store/steps.ts"
import { stepsOn, tenantRecall } from "../../tenant-memory.ts"
import { type Caller, wideReachOf } from "../identity/caller.ts"
import type { TeamParts } from "../team-parts.ts"

/** A consistent snapshot of the memories that a caller may see. There may be hundreds of thousands: read a page or a count. */
export type MemoryLook = {
  now: Date
  read<Result>(steps: Steps<Result>): Promise<Result>
  recall: RecallParts
}

export function lookAround<Result>(
  { driver, memory, now }: Pick<TeamParts, "driver" | "memory" | "now">,
  caller: Caller,
  body: (look: MemoryLook) => Promise<Result>,
): Promise<Result> {
  return driver.within(wideReachOf(caller), "read", (ask) =>
    body({ now: now(), read: (steps) => stepsOn(ask, steps), recall: tenantRecall(ask, undefined, memory) }),
  )
}
