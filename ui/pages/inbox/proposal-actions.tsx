import Check from "lucide-react/icons/check"
import Merge from "lucide-react/icons/merge"
import Pencil from "lucide-react/icons/pencil"
import X from "lucide-react/icons/x"
import { Button } from "../../parts/button.tsx"
import { Kbd } from "../../parts/kbd.tsx"

type Properties = { actions: Record<"accept" | "edit" | "merge" | "refuse", () => void>; isPending: boolean }

export function ProposalActions({ actions, isPending }: Properties) {
  return (
    <div className="proposal-actions">
      <Button look="primary" disabled={isPending} aria-keyshortcuts="a" onClick={actions.accept}>
        <Check size={14} aria-hidden /> Accept <Kbd keys="a" />
      </Button>
      <Button disabled={isPending} aria-keyshortcuts="e" onClick={actions.edit}>
        <Pencil size={14} aria-hidden /> Edit <Kbd keys="e" />
      </Button>
      <Button disabled={isPending} aria-keyshortcuts="m" onClick={actions.merge}>
        <Merge size={14} aria-hidden /> Merge into… <Kbd keys="m" />
      </Button>
      <Button look="danger" disabled={isPending} aria-keyshortcuts="r" onClick={actions.refuse}>
        <X size={14} aria-hidden /> Refuse <Kbd keys="r" />
      </Button>
    </div>
  )
}
