import ArrowLeft from "lucide-react/icons/arrow-left"
import Pin from "lucide-react/icons/pin"
import { Link } from "wouter"
import { quoteValue } from "../../../src/formats/query.ts"
import type { Detail } from "../../../src/recall/browse/app-api.ts"
import { FlagBadge, SourceBadge, StatusBadge, TypeBadge } from "../../parts/badge.tsx"
import { Button } from "../../parts/button.tsx"
import { explorerHref } from "../../parts/item-href.ts"
import { Time } from "../../parts/time.tsx"
import { TitleText } from "../../parts/title-text.tsx"
import { DetailActions } from "./detail-actions.tsx"
import type { ItemDraft } from "./drafts.ts"
import type { DetailPlace } from "./item-detail.tsx"

type Properties = {
  detail: Detail
  place: DetailPlace
  draft: ItemDraft | null
  onDraft: (draft: ItemDraft | null) => void
}

export function DetailHead({ detail, place, draft, onDraft }: Properties) {
  const { row, formerId } = detail
  return (
    <header className="detail-head">
      <div className="detail-bar">
        {place.onBack ? (
          <Button look="quiet" className="detail-back" onClick={place.onBack}>
            <ArrowLeft size={16} aria-hidden /> Back
          </Button>
        ) : null}
        <TypeBadge type={row.type} />
        <StatusBadge status={row.status} />
        <SourceBadge source={row.source} />
        {row.flags.map((flag) => (
          <FlagBadge key={flag} flag={flag} />
        ))}
        {row.pinned ? <Pin size={14} aria-label="pinned" /> : null}
      </div>
      <h2 className="detail-title">
        <TitleText text={row.title} />
      </h2>
      <p className="detail-facts">
        {row.author ? <Link href={explorerHref(`author:${quoteValue(row.author)}`)}>{row.author}</Link> : null}
        {row.at === null ? null : <Time at={row.at} />}
        <span>{row.scope}</span>
        {row.tags.map((tag) => (
          <Link key={tag} className="detail-tag" href={explorerHref(`tag:${quoteValue(tag)}`)}>
            {tag}
          </Link>
        ))}
      </p>
      {formerId ? (
        <p className="detail-former">
          It was <code>{formerId}</code> before its title was changed.
        </p>
      ) : null}
      {draft ? null : <DetailActions detail={detail} place={place} onDraft={onDraft} />}
    </header>
  )
}
