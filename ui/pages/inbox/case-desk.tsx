import ArrowLeft from "lucide-react/icons/arrow-left"
import { useEffect, useRef } from "react"
import { Button } from "../../parts/button.tsx"
import { EmptyState } from "../../parts/empty-state.tsx"
import { Kbd } from "../../parts/kbd.tsx"
import { useKeys } from "../../parts/use-keys.ts"
import { useMediaQuery } from "../../parts/use-media-query.ts"
import { useSearchValues, withSearchValues } from "../../parts/use-search-values.ts"
import { BrokenView } from "./broken-view.tsx"
import { CaseList } from "./case-list.tsx"
import { type Case, caseAfter } from "./cases.ts"
import { PairView } from "./pair-view.tsx"
import { ProposalView } from "./proposal-view.tsx"
import type { CaseWay } from "./use-proposal-change.ts"

/** What waits, and the one that is looked at beside it; on a phone one at a time. */
export function CaseDesk({ cases }: { cases: Case[] }) {
  const [values, change] = useSearchValues()
  const isWide = useMediaQuery("(width >= 900px)")
  const detail = useRef<HTMLElement>(null)
  const asked = values.get("open")
  const shown = asked ?? (isWide ? (cases[0]?.id ?? null) : null)
  const one = cases.find(({ id }) => id === shown)
  useRowInSight(shown)

  const open = (id: string | null) => change({ open: id }, { replace: true })
  const show = (id: string | null) => {
    open(id)
    requestAnimationFrame(() => detail.current?.focus())
  }
  const step = (by: 1 | -1) => {
    const at = cases.findIndex(({ id }) => id === shown)
    const next = cases[Math.max(0, Math.min(cases.length - 1, at + by))]
    if (next) open(next.id)
  }
  useKeys({ j: () => step(1), k: () => step(-1), Escape: isWide || asked === null ? undefined : () => open(null) })

  const hrefOf = (id: string) => withSearchValues("/inbox", values, { open: id })
  return (
    <div className={isWide ? "inbox inbox-wide" : "inbox"}>
      {isWide || shown === null ? (
        <div className="inbox-list">
          <p className="inbox-count" role="status">
            {cases.length} waiting
            <span className="inbox-keys">
              <Kbd keys="j" /> <Kbd keys="k" /> next and previous
            </span>
          </p>
          <CaseList cases={cases} shown={shown} hrefOf={hrefOf} />
        </div>
      ) : null}
      {isWide || shown !== null ? (
        <section className="inbox-case" aria-label="What is proposed" ref={detail} tabIndex={-1}>
          {isWide ? null : (
            <Button look="quiet" onClick={() => open(null)}>
              <ArrowLeft size={16} aria-hidden /> Back
            </Button>
          )}
          {one ? (
            <CaseView
              key={one.id}
              one={one}
              way={{
                href: hrefOf(one.id),
                onDone: () => show(caseAfter(cases, one.id)),
                onUndone: () => show(one.id),
              }}
            />
          ) : (
            <EmptyState title="It no longer waits." hint="Somebody has decided on it, or its file was changed." />
          )}
        </section>
      ) : null}
    </div>
  )
}

function CaseView({ one, way }: { one: Case; way: CaseWay }) {
  switch (one.kind) {
    case "proposal":
      return <ProposalView proposal={one.proposal} way={way} />
    case "pair":
      return <PairView pair={one.pair} way={way} />
    case "broken":
      return <BrokenView file={one.file} />
  }
}

/** The keys move through the list, which follows. */
function useRowInSight(shown: string | null): void {
  useEffect(() => {
    if (shown === null) return
    document.querySelector(`[data-case="${CSS.escape(shown)}"]`)?.scrollIntoView({ block: "nearest" })
  }, [shown])
}
