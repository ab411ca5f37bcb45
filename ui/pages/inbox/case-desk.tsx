import { useRef } from "react"
import { ListAndDetail, useHasRoomForBoth } from "../../parts/list-and-detail/list-and-detail.tsx"
import { ListCount } from "../../parts/list-and-detail/list-count.tsx"
import { useListKeys } from "../../parts/list-and-detail/use-list-keys.ts"
import { useKeys } from "../../parts/use-keys.ts"
import { useSearchValues, withSearchValues } from "../../parts/use-search-values.ts"
import { BrokenView } from "./broken-view.tsx"
import { CaseGone } from "./case-gone.tsx"
import { CaseList } from "./case-list.tsx"
import { type Case, caseAfter } from "./cases.ts"
import { PairView } from "./pair-view.tsx"
import { ProposalView } from "./proposal-view.tsx"
import type { CaseWay } from "./use-proposal-change.ts"

/** What waits, and the one that is looked at. Where there is room the first is looked at unasked. */
export function CaseDesk({ cases }: { cases: Case[] }) {
  const [values, change] = useSearchValues()
  const isWide = useHasRoomForBoth()
  const detail = useRef<HTMLElement>(null)
  const asked = values.get("open")
  const shown = asked ?? (isWide ? (cases[0]?.id ?? null) : null)
  const one = cases.find(({ id }) => id === shown)

  const hrefOf = (id: string) => withSearchValues("/inbox", values, { open: id })
  const open = (id: string | null) => change({ open: id }, { replace: true })
  const goTo = (id: string | null) => {
    open(id)
    requestAnimationFrame(() => detail.current?.focus())
  }
  useListKeys(
    cases.map(({ id }) => id),
    shown,
    open,
  )
  useKeys({ Escape: isWide || asked === null ? undefined : () => open(null) })

  return (
    <ListAndDetail
      label="Selected proposal"
      isOpen={shown !== null}
      onBack={() => open(null)}
      detailRef={detail}
      list={
        <>
          <ListCount text={`${cases.length} waiting`} />
          <CaseList cases={cases} shown={shown} hrefOf={hrefOf} staysInSight={isWide} />
        </>
      }
      detail={
        one ? (
          <CaseView
            key={one.id}
            one={one}
            way={{
              href: hrefOf(one.id),
              onDone: () => goTo(caseAfter(cases, one.id)),
              onUndone: () => goTo(one.id),
            }}
          />
        ) : shown === null ? null : (
          <CaseGone key={shown} id={shown} />
        )
      }
    />
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
