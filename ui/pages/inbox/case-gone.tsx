import { EmptyState } from "../../parts/empty-state.tsx"
import { LeftDraft } from "../detail/left-draft.tsx"

/** In the place of what somebody else has decided on meanwhile; what was being written for it is still there. */
export function CaseGone({ id }: { id: string }) {
  return (
    <>
      <EmptyState title="It no longer waits." hint="Somebody has decided on it, or its file was changed." />
      <LeftDraft id={id} />
    </>
  )
}
