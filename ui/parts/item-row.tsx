import Pin from "lucide-react/icons/pin"
import { Link } from "wouter"
import type { Row } from "../../src/recall/browse/app-api.ts"
import { FlagBadge, StatusBadge, TypeBadge } from "./badge.tsx"
import { Highlighted } from "./highlighted.tsx"
import { itemHref } from "./item-href.ts"
import { Time } from "./time.tsx"
import { TitleText } from "./title-text.tsx"

/** One item in a list: a link to its page. */
export function ItemRow({ row }: { row: Row }) {
  return (
    <Link href={itemHref(row.id)} className="item-row">
      <ItemRowContent row={row} />
    </Link>
  )
}

/** The content of a row, for lists that are more than links. */
export function ItemRowContent({ row }: { row: Row }) {
  return (
    <>
      <span className="item-row-head">
        <TypeBadge type={row.type} />
        <span className={row.snippet ? "item-row-title" : "item-row-title item-row-title-long"}>
          <TitleText text={row.title} />
        </span>
        {row.pinned ? <Pin size={12} aria-label="pinned" /> : null}
      </span>
      {row.snippet ? (
        <span className="item-row-snippet">
          <Highlighted text={row.snippet} ranges={row.highlights ?? []} />
        </span>
      ) : null}
      <span className="item-row-foot">
        <StatusBadge status={row.status} />
        {row.flags.map((flag) => (
          <FlagBadge key={flag} flag={flag} />
        ))}
        {row.author ? <span className="item-row-author">{row.author}</span> : null}
        {row.at === null ? null : <Time at={row.at} />}
      </span>
    </>
  )
}
