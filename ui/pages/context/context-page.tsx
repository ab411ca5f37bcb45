import { Page } from "../../parts/page.tsx"
import { Skeleton } from "../../parts/skeleton.tsx"

export function ContextPage() {
  return (
    <Page title="Context preview">
      <Skeleton lines={6} />
    </Page>
  )
}
