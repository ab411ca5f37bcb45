import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Redirect } from "wouter"
import { aboutQuery } from "../../api/queries.ts"
import { Field } from "../../parts/field.tsx"
import { FrontPage } from "../../parts/front-page.tsx"
import { useSearchValues } from "../../parts/use-search-values.ts"
import { placeToGo } from "../../shell/sign-in-href.ts"
import { describeProblem } from "./describe-problem.ts"
import { lastOrganisation } from "./last-organisation.ts"
import { OtherWay } from "./other-way.tsx"
import { TokenForm } from "./token-form.tsx"

/** For a team server; signed-in users, and those of a local app, are redirected. */
export function SignInPage() {
  const [values] = useSearchValues()
  const about = useQuery(aboutQuery())
  const [organisation, setOrganisation] = useState(values.get("org") ?? lastOrganisation())
  const to = placeToGo(values)
  if (about.isSuccess && !about.isFetching) return <Redirect to={to} replace /> // what was answered before may no longer hold
  const problem = describeProblem(values.get("problem"))
  return (
    <FrontPage title="Sign in">
      {problem ? (
        <p className="front-problem" role="alert">
          {problem}
        </p>
      ) : null}
      <TokenForm to={to} />
      <section className="front-other" aria-label="Other ways to sign in">
        <Field label="Organisation" hint="Its short name, to use its single sign-on.">
          {(attributes) => (
            <input
              {...attributes}
              className="input"
              placeholder="acme"
              autoCapitalize="off"
              autoComplete="organization"
              spellCheck={false}
              value={organisation}
              onChange={(event) => setOrganisation(event.target.value.trim().toLowerCase())}
            />
          )}
        </Field>
        <OtherWay organisation={organisation} />
      </section>
    </FrontPage>
  )
}
