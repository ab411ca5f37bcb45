import { useQuery } from "@tanstack/react-query"
import { methodsQuery } from "../../api/team-queries.ts"
import { useDebounced } from "../../parts/use-debounced.ts"
import { keepOrganisation } from "./last-organisation.ts"

const quietTime = 300

/** The organisation's own sign-in, where it has one. */
export function OtherWay({ organisation }: { organisation: string }) {
  const asked = useDebounced(organisation, quietTime)
  const { data, error } = useQuery({ ...methodsQuery(asked), enabled: asked !== "" })
  if (asked === "") return null
  if (error) return <p className="field-problem">{error.message}</p>
  return (
    <div aria-live="polite">
      {data?.oidc ? (
        <a
          className="button front-button"
          href={`/v1/sign-in/oidc?${new URLSearchParams({ org: asked })}`}
          onClick={() => keepOrganisation(asked)}
        >
          Continue with {data.oidc.name}
        </a>
      ) : null}
      {data && !data.oidc ? <p className="field-hint">Only sign-in with a token is available.</p> : null}
    </div>
  )
}
