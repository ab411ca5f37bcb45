import BadgeCheck from "lucide-react/icons/badge-check"
import Pencil from "lucide-react/icons/pencil"
import Pin from "lucide-react/icons/pin"
import PinOff from "lucide-react/icons/pin-off"
import Replace from "lucide-react/icons/replace"
import Trash2 from "lucide-react/icons/trash-2"
import { type ReactNode, useState } from "react"
import type { Detail, PinItemRequest as PinBody } from "../../../src/recall/browse/app-api.ts"
import { itemPath, teamPath } from "../../api/paths.ts"
import { useChange } from "../../api/use-change.ts"
import { useTeamChange } from "../../api/use-team-change.ts"
import { Button } from "../../parts/button.tsx"
import { Tooltip } from "../../parts/tooltip.tsx"
import { beginDraft, type ItemDraft } from "./drafts.ts"
import { ForgetDialog } from "./forget-dialog.tsx"
import type { DetailPlace } from "./item-detail.tsx"

type Properties = { detail: Detail; place: DetailPlace; onDraft: (draft: ItemDraft) => void }

export function DetailActions({ detail, place, onDraft }: Properties) {
  const { row, version, can } = detail
  const [isForgetting, setForgetting] = useState(false)
  const pin = useChange<PinBody>(itemPath(row.id, "pin"))
  return (
    <div className="detail-actions">
      {detail.mayConfirm ? <Confirm id={row.id} version={Number(version)} /> : null}
      <Action may={can.edit} onClick={() => onDraft(beginDraft("edit", detail))}>
        <Pencil size={14} aria-hidden /> Edit
      </Action>
      <Action may={can.supersede} onClick={() => onDraft(beginDraft("supersede", detail))}>
        <Replace size={14} aria-hidden /> Supersede
      </Action>
      <Action may={can.pin} onClick={() => pin.isPending || pin.mutate({ version, pinned: !row.pinned })}>
        {row.pinned ? <PinOff size={14} aria-hidden /> : <Pin size={14} aria-hidden />}
        {row.pinned ? "Unpin" : "Pin"}
      </Action>
      <Action may={can.forget} onClick={() => setForgetting(true)}>
        <Trash2 size={14} aria-hidden /> Forget
      </Action>
      <ForgetDialog detail={detail} isOpen={isForgetting} onClose={() => setForgetting(false)} place={place} />
    </div>
  )
}

/** From then on it counts as proven, and what a colleague said as a member's words. */
function Confirm({ id, version }: { id: string; version: number }) {
  const change = useTeamChange()
  const request = { method: "PATCH", path: teamPath("memories", id) } as const
  const confirm = () =>
    change.mutate({
      ...request,
      body: { version, status: "active" },
      said: "Confirmed: it counts as proven",
      undo: { ...request, body: { version: version + 1, status: "provisional" } },
    })
  return (
    <Button onClick={() => change.isPending || confirm()}>
      <BadgeCheck size={14} aria-hidden /> Confirm
    </Button>
  )
}

/** A button that explains why it is disabled. */
function Action({ may, onClick, children }: { may: true | string; onClick: () => void; children: ReactNode }) {
  if (may === true) return <Button onClick={onClick}>{children}</Button>
  return (
    <Tooltip text={may}>
      <Button aria-disabled="true">{children}</Button>
    </Tooltip>
  )
}
