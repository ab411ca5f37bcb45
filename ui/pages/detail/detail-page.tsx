import { useLocation, useParams } from "wouter"
import { decodePart } from "../../parts/decode-part.ts"
import { itemHref } from "../../parts/item-href.ts"
import { useKeys } from "../../parts/use-keys.ts"
import { ItemDetail } from "./item-detail.tsx"

/** One item on a page of its own. */
export function DetailPage() {
  const { id = "" } = useParams()
  const [, navigate] = useLocation()
  const back = () => (history.length > 1 ? history.back() : navigate("/explorer"))
  useKeys({ Escape: back })
  return (
    <div className="detail-page">
      <h1 className="for-readers">Item</h1>
      <ItemDetail key={id} id={decodePart(id)} hrefOf={itemHref} onGone={() => navigate("/explorer")} onBack={back} />
    </div>
  )
}
