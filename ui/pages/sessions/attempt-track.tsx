import { EmptyState } from "../../parts/empty-state.tsx"
import { AttemptLanes } from "./attempt-lanes.tsx"
import { AttemptList, rowIdOf } from "./attempt-list.tsx"
import type { TrackedAttempt } from "./track.ts"

/** The attempts in time, as a picture and in words. */
export function AttemptTrack({ attempts }: { attempts: TrackedAttempt[] }) {
  if (attempts.length === 0) return <EmptyState title="No attempts yet." />
  const open = (key: string) => {
    const row = document.getElementById(rowIdOf(key))
    row?.scrollIntoView({ block: "center", behavior: "smooth" })
    row?.focus({ preventScroll: true })
  }
  return (
    <div className="track">
      <AttemptLanes attempts={attempts} onOpen={open} />
      <AttemptList attempts={attempts} onOpen={open} />
    </div>
  )
}
