import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { LinkPreview } from "../../../src/server/api.ts"
import { postJson } from "../../api/fetch-json.ts"
import { Answer } from "../../parts/answer.tsx"
import { decodePart } from "../../parts/decode-part.ts"
import { EmptyState } from "../../parts/empty-state.tsx"
import { FrontPage } from "../../parts/front-page.tsx"
import { JoinForm } from "./join-form.tsx"

/** Where a one-time link leads: the owner's first one, or an invitation. Its token is the fragment, which no server and no log sees. */
export function JoinPage() {
  const [token] = useState(() => decodePart(location.hash.slice(1)))
  const look = useQuery({
    queryKey: ["link", token],
    queryFn: () => postJson<LinkPreview>("/v1/sign-in/link/look", { token }),
    enabled: token !== "",
  })
  if (token === "")
    return (
      <FrontPage title="Join">
        <EmptyState title="This link is incomplete." hint="Copy the whole link." />
      </FrontPage>
    )
  return (
    <FrontPage title={look.data ? `Join ${look.data.organisation.name}` : "Join"}>
      <Answer query={look} lines={3}>
        {(link) => <JoinForm token={token} link={link} />}
      </Answer>
    </FrontPage>
  )
}
