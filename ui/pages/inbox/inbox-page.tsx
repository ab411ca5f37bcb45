import { Page } from "../../parts/page.tsx"
import { Skeleton } from "../../parts/skeleton.tsx"

export function InboxPage() {
  return (
    <Page title="Inbox">
      <Skeleton lines={6} />
    </Page>
  )
}
