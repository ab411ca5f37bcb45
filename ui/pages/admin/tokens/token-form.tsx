import { useState } from "react"
import type { Role, TokenScope } from "../../../../src/server/api.ts"
import { Button } from "../../../parts/button.tsx"
import { CheckField } from "../../../parts/check-field.tsx"
import { Field } from "../../../parts/field.tsx"
import { Select } from "../../../parts/select.tsx"
import { scopesFor } from "../rights.ts"
import { scopeWords } from "../role-words.ts"

export type WantedToken = { name: string; scopes: TokenScope[]; days: number }

type Properties = {
  role: Role
  problem: string | undefined
  isBusy: boolean
  onSend: (wanted: WantedToken) => void
  onClose: () => void
}

const spans = [
  { value: "30", name: "30 days" },
  { value: "90", name: "90 days" },
  { value: "365", name: "1 year" },
]

export function TokenForm({ role, problem, isBusy, onSend, onClose }: Properties) {
  const possible = scopesFor(role)
  const [name, setName] = useState("")
  const [days, setDays] = useState("90")
  const [scopes, setScopes] = useState<TokenScope[]>(possible.filter((scope) => scope !== "admin"))
  return (
    <form
      className="admin-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy && scopes.length > 0) onSend({ name: name.trim(), scopes, days: Number(days) })
      }}
    >
      <Field label="Name" hint="For example, the machine it is for." problem={problem}>
        {(attributes) => (
          <input
            {...attributes}
            className="input"
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <fieldset className="admin-choices">
        <legend className="field-label">Scopes</legend>
        {possible.map((scope) => (
          <CheckField
            key={scope}
            isChecked={scopes.includes(scope)}
            onChange={(isChecked) =>
              setScopes(possible.filter((each) => (each === scope ? isChecked : scopes.includes(each))))
            }
          >
            {scopeWords[scope]}
          </CheckField>
        ))}
        {scopes.length === 0 ? <p className="field-problem">Choose at least one scope.</p> : null}
      </fieldset>
      <Field label="Expires after">
        {(attributes) => <Select {...attributes} value={days} onChange={setDays} options={spans} />}
      </Field>
      <div className="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" aria-disabled={isBusy || scopes.length === 0}>
          Create token
        </Button>
      </div>
    </form>
  )
}
