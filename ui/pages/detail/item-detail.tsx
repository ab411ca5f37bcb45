import { useQuery } from "@tanstack/react-query"
import type { Detail } from "../../../src/recall/browse/app-api.ts"
import { ApiError } from "../../api/fetch-json.ts"
import { itemQuery } from "../../api/queries.ts"
import { Answer } from "../../parts/answer.tsx"
import { Markdown } from "../../parts/markdown.tsx"
import { usePageTitle } from "../../parts/page.tsx"
import { Problem } from "../../parts/problem.tsx"
import { useItemDraft } from "./drafts.ts"
import "./detail.css"
import { DetailHead } from "./detail-head.tsx"
import { DetailTabs } from "./detail-tabs.tsx"
import { Diagnostics } from "./diagnostics.tsx"
import { FilePlace } from "./file-place.tsx"
import { ItemEditor } from "./item-editor.tsx"
import { Learned } from "./learned.tsx"
import { LeftDraft } from "./left-draft.tsx"
import { ReplacedBy } from "./replaced-by.tsx"
import { StaleNames } from "./stale-names.tsx"

export type DetailPlace = {
  /** Where another item is shown from here. */
  hrefOf: (id: string) => string
  /** The item was removed. */
  onGone: () => void
  /** Given where the way back is not in sight. */
  onBack?: () => void
}

export function ItemDetail({ id, ...place }: DetailPlace & { id: string }) {
  const query = useQuery(itemQuery(id))
  return (
    <>
      {query.data && isGone(query.error) ? <Problem error={query.error} /> : null}
      <Answer query={query} lines={10}>
        {(detail) => <LoadedDetail id={id} detail={detail} place={place} />}
      </Answer>
      {!query.data && isGone(query.error) ? <LeftDraft id={id} /> : null}
    </>
  )
}

/** It went while it was looked at: what was shown of it stays. */
function isGone(error: Error | null): error is ApiError {
  return error instanceof ApiError && error.status === 404
}

/** `id` is the one in the address, which a draft is kept under: another title on the disk gives the item another one meanwhile. */
function LoadedDetail({ id, detail, place }: { id: string; detail: Detail; place: DetailPlace }) {
  const [draft, setDraft] = useItemDraft(id)
  usePageTitle(detail.row.title)
  return (
    <article className="detail">
      <DetailHead detail={detail} place={place} draft={draft} onDraft={setDraft} />
      <Diagnostics diagnostics={detail.diagnostics} />
      <StaleNames id={detail.row.id} />
      {draft ? (
        <ItemEditor detail={detail} draft={draft} onDraft={setDraft} place={place} />
      ) : (
        <>
          <ReplacedBy newer={detail.newer} hrefOf={place.hrefOf} />
          {detail.markdown.trim() === detail.row.title ? null : <Markdown text={detail.markdown} />}
        </>
      )}
      <FilePlace row={detail.row} />
      {detail.learned ? <Learned learned={detail.learned} /> : null}
      <DetailTabs detail={detail} hrefOf={place.hrefOf} />
    </article>
  )
}
