import { Page } from "../../parts/page.tsx"
import { Skeleton } from "../../parts/skeleton.tsx"

export function ExplorerPage() {
  return (
    <Page title="Explorer">
      <Skeleton lines={6} />
    </Page>
  )
}
