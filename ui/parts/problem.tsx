import CircleAlert from "lucide-react/icons/circle-alert"
import { Button } from "./button.tsx"

/** What went wrong, in the place of what was asked for. */
export function Problem({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  return (
    <div className="problem" role="alert">
      <CircleAlert size={16} aria-hidden />
      <p>{error.message}</p>
      {onRetry ? <Button onClick={onRetry}>Try again</Button> : null}
    </div>
  )
}
