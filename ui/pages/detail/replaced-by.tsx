import { Link } from "wouter"
import type { Row } from "../../../src/recall/browse/app-api.ts"

/** A banner: the item was replaced by a newer one. */
export function ReplacedBy({ newer, hrefOf }: { newer: Row[]; hrefOf: (id: string) => string }) {
  const newest = newer.at(-1)
  if (!newest) return null
  return (
    <p className="replaced-by">
      Replaced by <Link href={hrefOf(newest.id)}>{newest.title}</Link>
    </p>
  )
}
