import { EmptyState } from "../../parts/empty-state.tsx"
import { LeftDraft } from "../detail/left-draft.tsx"

/** Shown instead of a case that was decided meanwhile; its draft is kept. */
export function CaseGone({ id }: { id: string }) {
  return (
    <>
      <EmptyState title="No longer in the inbox." hint="It was decided in the meantime, or its file was changed." />
      <LeftDraft id={id} />
    </>
  )
}
