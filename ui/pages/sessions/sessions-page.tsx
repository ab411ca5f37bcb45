import { Page } from "../../parts/page.tsx"
import { Skeleton } from "../../parts/skeleton.tsx"

export function SessionsPage() {
  return (
    <Page title="Sessions">
      <Skeleton lines={6} />
    </Page>
  )
}
