import { Page } from "../../parts/page.tsx"
import { Skeleton } from "../../parts/skeleton.tsx"

export function AuditPage() {
  return (
    <Page title="Audit">
      <Skeleton lines={6} />
    </Page>
  )
}
