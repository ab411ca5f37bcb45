import Check from "lucide-react/icons/check"
import CircleDashed from "lucide-react/icons/circle-dashed"
import CornerDownRight from "lucide-react/icons/corner-down-right"
import Minus from "lucide-react/icons/minus"
import X from "lucide-react/icons/x"
import type { Outcome } from "./track.ts"

const icons = { success: Check, failure: X, solved: CornerDownRight, partial: Minus, in_progress: CircleDashed }

/** The outcome by shape, not only by colour. */
export function OutcomeIcon({ outcome }: { outcome: Outcome }) {
  const Icon = icons[outcome]
  return <Icon size={12} strokeWidth={2.5} aria-hidden />
}
