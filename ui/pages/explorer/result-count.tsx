import type { Results } from "./use-results.ts"

export function ResultCount({ results }: { results: Results }) {
  return (
    <p className="result-count" aria-live="polite">
      {textOf(results)}
    </p>
  )
}

function textOf({ isLoading, error, problems, total }: Results): string {
  if (isLoading) return "Searching…"
  if (error || problems.length > 0) return ""
  return total === 1 ? "1 item" : `${total.toLocaleString("en")} items`
}
