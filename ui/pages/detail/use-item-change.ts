import { useLocation } from "wouter"
import type { Changed } from "../../../src/recall/browse/app-api.ts"
import { itemPath } from "../../api/paths.ts"
import { useChange } from "../../api/use-change.ts"
import type { DetailPlace } from "./item-detail.tsx"

/** A change after which another item is shown, or none; undo shows the first one again. */
export function useItemChange<Body extends object>(
  id: string,
  change: Parameters<typeof itemPath>[1],
  { hrefOf, onGone }: DetailPlace,
  { onDone, showsProblems = false }: { onDone?: () => void; showsProblems?: boolean } = {},
) {
  const [, navigate] = useLocation()
  const show = (next: string) => navigate(hrefOf(next), { replace: true })
  return useChange<Body>(itemPath(id, change), {
    onDone: (changed: Changed) => {
      onDone?.()
      if (changed.id === null) onGone()
      else show(changed.id)
    },
    onUndone: () => show(id),
    showsProblems,
  })
}
