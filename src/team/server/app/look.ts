import type { RecallParts } from "../../../recall/recall-parts.ts"
import type { Steps } from "../../../store/steps.ts"
import { stepsOn, tenantRecall } from "../../tenant-memory.ts"
import { type Caller, wideReachOf } from "../identity/caller.ts"
import type { TeamParts } from "../team-parts.ts"

/** One look at the memories that somebody may see; all of it shows the same moment. An organisation may have hundreds of thousands: whoever looks asks for a page or a count. */
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
