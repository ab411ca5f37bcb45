import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { postJson } from "../../api/fetch-json.ts"
import { Button } from "../../parts/button.tsx"
import { Field } from "../../parts/field.tsx"
import { useGoIn } from "./use-go-in.ts"

/** Signs in with a personal access token, which the server exchanges for a session of this browser. */
export function TokenForm({ to }: { to: string }) {
  const [token, setToken] = useState("")
  const goIn = useGoIn()
  const signIn = useMutation({
    mutationFn: () => postJson("/v1/sign-in/token", { token: token.trim() }),
    onSuccess: () => goIn(to),
  })
  return (
    <form
      className="front-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!signIn.isPending) signIn.mutate()
      }}
    >
      <Field
        label="Personal access token"
        hint="The first time, use an admin's invitation. Create tokens under Admin."
        problem={signIn.error?.message}
      >
        {(attributes) => (
          <input
            {...attributes}
            className="input"
            type="password"
            autoComplete="current-password"
            required
            value={token}
            onChange={(event) => {
              setToken(event.target.value)
              signIn.reset()
            }}
          />
        )}
      </Field>
      <Button type="submit" look="primary" className="front-button" aria-disabled={signIn.isPending}>
        Sign in
      </Button>
    </form>
  )
}
