import { Button } from "../../parts/button.tsx"
import { formatNumber } from "../../parts/format-number.ts"
import { useSearchValues } from "../../parts/use-search-values.ts"

type Properties = { page: number; pageSize: number; total: number }

/** The way to older and newer lines. */
export function AuditPages({ page, pageSize, total }: Properties) {
  const [, change] = useSearchValues()
  const last = Math.max(1, Math.ceil(total / pageSize))
  if (last === 1 && page === 1) return null
  const go = (to: number) => {
    if (to < 1 || to > last) return
    change({ page: to === 1 ? null : String(to) })
    document.getElementById("main")?.scrollTo(0, 0)
  }
  return (
    <nav className="audit-pages" aria-label="Pages of the audit">
      <Button aria-disabled={page <= 1} onClick={() => go(Math.min(page - 1, last))}>
        Newer
      </Button>
      <span aria-live="polite">
        Page {formatNumber(page)} of {formatNumber(last)}
      </span>
      <Button aria-disabled={page >= last} onClick={() => go(page + 1)}>
        Older
      </Button>
    </nav>
  )
}
