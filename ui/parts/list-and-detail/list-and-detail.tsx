import ArrowLeft from "lucide-react/icons/arrow-left"
import type { ReactNode, Ref } from "react"
import { Button } from "../button.tsx"
import { useMediaQuery } from "../use-media-query.ts"
import "./list-and-detail.css"

type Properties = {
  list: ReactNode
  detail: ReactNode
  /** The accessible name of the detail. */
  label: string
  /** On a phone there is room for one of them: the detail, once something is open. */
  isOpen: boolean
  onBack: () => void
  detailRef?: Ref<HTMLElement>
}

/** A list, and beside it the one of it that is looked at. */
export function ListAndDetail({ list, detail, label, isOpen, onBack, detailRef }: Properties) {
  const isWide = useHasRoomForBoth()
  return (
    <div className={isWide ? "list-and-detail list-and-detail-wide" : "list-and-detail"}>
      {isWide || !isOpen ? <div className="list-part">{list}</div> : null}
      {isWide || isOpen ? (
        <section className="detail-part" aria-label={label} ref={detailRef} tabIndex={-1}>
          {isWide ? null : (
            <Button look="quiet" onClick={onBack}>
              <ArrowLeft size={16} aria-hidden /> Back
            </Button>
          )}
          {detail}
        </section>
      ) : null}
    </div>
  )
}

export function useHasRoomForBoth(): boolean {
  return useMediaQuery("(width >= 900px)")
}
