import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import type { LinkPreview } from "../../../src/server/api.ts"
import { postJson } from "../../api/fetch-json.ts"
import { Button } from "../../parts/button.tsx"
import { Field } from "../../parts/field.tsx"
import { keepOrganisation } from "../sign-in/last-organisation.ts"
import { useGoIn } from "../sign-in/use-go-in.ts"

const roleWords: Record<LinkPreview["role"], string> = {
  owner: "its owner",
  admin: "an admin",
  member: "a member",
  viewer: "a viewer",
}

/** Asks for the name that others see, and uses the link up. */
export function JoinForm({ token, link: { organisation, role, email } }: { token: string; link: LinkPreview }) {
  const [name, setName] = useState("")
  const goIn = useGoIn()
  const join = useMutation({
    mutationFn: () => postJson("/v1/sign-in/link", { token, name: name.trim() }),
    onSuccess: () => {
      keepOrganisation(organisation.slug)
      goIn("/")
    },
  })
  return (
    <form
      className="front-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!join.isPending) join.mutate()
      }}
    >
      <p>
        You join as {roleWords[role]}
        {email ? ` (${email})` : ""}. The link works once.
      </p>
      <Field label="Your name" hint="Shown with the memories you share." problem={join.error?.message}>
        {(attributes) => (
          <input
            {...attributes}
            className="input"
            autoComplete="name"
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" look="primary" className="front-button" aria-disabled={join.isPending}>
        Join {organisation.name}
      </Button>
    </form>
  )
}
