import { useQuery } from "@tanstack/react-query"
import KeyRound from "lucide-react/icons/key-round"
import { useState } from "react"
import type { Member, Role, Token } from "../../../../src/server/api.ts"
import { teamPath } from "../../../api/paths.ts"
import { membersQuery, tokensQuery } from "../../../api/team-queries.ts"
import { useTeamChange } from "../../../api/use-team-change.ts"
import { Answer } from "../../../parts/answer.tsx"
import { Button } from "../../../parts/button.tsx"
import { ConfirmedButton } from "../../../parts/confirmed-button.tsx"
import { EmptyState } from "../../../parts/empty-state.tsx"
import { Time } from "../../../parts/time.tsx"
import { AdminTable } from "../admin-table.tsx"
import { isAdmin } from "../rights.ts"
import { TokenDialog } from "./token-dialog.tsx"

/** What machines sign in with: one's own tokens, and for an admin everybody's. */
export function TokensTab({ role }: { role: Role }) {
  const tokens = useQuery(tokensQuery())
  const { data: everybody } = useQuery(membersQuery())
  const [isMaking, setMaking] = useState(false)
  const columns = ["Name", ...(isAdmin(role) ? ["Owner"] : []), "Scopes", "Last used", "Expires", ""]
  return (
    <div className="admin-tab">
      <div className="admin-head">
        <p className="admin-intro">
          Connect a machine with a token: <code>drey team login {location.origin}</code>
        </p>
        <Button look="primary" onClick={() => setMaking(true)}>
          <KeyRound size={14} aria-hidden /> New token
        </Button>
      </div>
      <Answer query={tokens}>
        {({ tokens: found }) =>
          found.length === 0 ? (
            <EmptyState title="No tokens yet." hint="Create one per machine, so that each can be revoked separately." />
          ) : (
            <AdminTable
              label="Tokens"
              columns={columns}
              rows={found.map((token) => ({
                key: token.id,
                cells: cellsOf(token, isAdmin(role) ? (everybody?.members ?? []) : null),
              }))}
            />
          )
        }
      </Answer>
      {isMaking ? <TokenDialog role={role} onClose={() => setMaking(false)} /> : null}
    </div>
  )
}

/** `members` where tokens of others are listed, too. */
function cellsOf(token: Token, members: Member[] | null) {
  const owner = members?.find(({ id }) => id === token.member)
  return [
    <>
      {token.name}
      <code className="admin-soft">{token.hint}…</code>
    </>,
    ...(members ? [owner?.name ?? "a former member"] : []),
    token.scopes.join(", "),
    token.lastUsed === null ? <span className="admin-soft">never</span> : <Time at={token.lastUsed} />,
    <Time key="until" at={token.expires} />,
    <Revoke key="revoke" token={token} />,
  ]
}

function Revoke({ token: { id, name } }: { token: Token }) {
  const change = useTeamChange()
  return (
    <ConfirmedButton
      name="Revoke"
      label={`Revoke the token ${name}`}
      title={`Revoke the token ${name}?`}
      description="Machines that use it are signed out at once. Their local memories stay."
      isBusy={change.isPending}
      onConfirm={() =>
        change.mutate({ method: "DELETE", path: teamPath("tokens", id), said: `The token ${name} was revoked` })
      }
    />
  )
}
