import { Page } from "../../parts/page.tsx"
import { Skeleton } from "../../parts/skeleton.tsx"

export function DetailPage() {
  return (
    <Page title="Detail">
      <Skeleton lines={6} />
    </Page>
  )
}
