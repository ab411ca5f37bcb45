import { Page } from "../../parts/page.tsx"
import { Skeleton } from "../../parts/skeleton.tsx"

export function OverviewPage() {
  return (
    <Page title="Overview">
      <Skeleton lines={6} />
    </Page>
  )
}
