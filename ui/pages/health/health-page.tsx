import { Page } from "../../parts/page.tsx"
import { Skeleton } from "../../parts/skeleton.tsx"

export function HealthPage() {
  return (
    <Page title="Health">
      <Skeleton lines={6} />
    </Page>
  )
}
