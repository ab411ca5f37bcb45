import { EmptyState } from "../../parts/empty-state.tsx"
import { LeftDraft } from "../detail/left-draft.tsx"

/** In the place of what somebody else has decided on meanwhile; what was being written for it is still there. */
export function CaseGone({ id }: { id: string }) {
  return (
    <>
      <EmptyState title="No longer in the inbox." hint="It was decided in the meantime, or its file was changed." />
      <LeftDraft id={id} />
    </>
  )
}
