import { Page } from "../../parts/page.tsx"
import { Skeleton } from "../../parts/skeleton.tsx"

export function AgentsPage() {
  return (
    <Page title="Agents">
      <Skeleton lines={6} />
    </Page>
  )
}
