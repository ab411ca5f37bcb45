import { useState } from "react"
import type { CreatedToken, Role } from "../../../../src/server/api.ts"
import { useTeamChange } from "../../../api/use-team-change.ts"
import { Button } from "../../../parts/button.tsx"
import { Dialog } from "../../../parts/dialog.tsx"
import { ShownOnce } from "../../../parts/shown-once.tsx"
import { TokenForm, type WantedToken } from "./token-form.tsx"

/** Asks what the token is for, then shows it; it cannot be shown again. */
export function TokenDialog({ role, onClose }: { role: Role; onClose: () => void }) {
  const [made, setMade] = useState<CreatedToken | null>(null)
  const make = useTeamChange<CreatedToken>({ onDone: setMade, showsProblems: true })
  const send = (wanted: WantedToken) => make.mutate({ method: "POST", path: "/v1/tokens", body: wanted })
  return (
    <Dialog title={made ? made.token.name : "New token"} isOpen onClose={onClose}>
      {made ? (
        <>
          <ShownOnce
            label="Token"
            hint="It is shown only once. Anyone who has it can use its scopes."
            text={made.secret}
            what="the token"
          />
          <div className="dialog-actions">
            <Button onClick={onClose}>Done</Button>
          </div>
        </>
      ) : (
        <TokenForm role={role} problem={make.error?.message} isBusy={make.isPending} onSend={send} onClose={onClose} />
      )}
    </Dialog>
  )
}
