import { Page } from "../../parts/page.tsx"
import { Skeleton } from "../../parts/skeleton.tsx"

export function TimelinePage() {
  return (
    <Page title="Timeline">
      <Skeleton lines={6} />
    </Page>
  )
}
