import { Link } from "wouter"
import { itemHref } from "../../parts/item-href.ts"

/** What a note of the session was kept as beyond it. */
export function Became({ id }: { id: string | undefined }) {
  if (id === undefined) return null
  return (
    <p className="attempt-tie">
      Kept beyond the session as <Link href={itemHref(id)}>{id}</Link>
    </p>
  )
}
