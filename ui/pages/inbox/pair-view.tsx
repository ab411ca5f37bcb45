import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Link } from "wouter"
import type { Detail, NearDuplicateRow } from "../../../src/recall/browse/app-api.ts"
import { itemQuery } from "../../api/queries.ts"
import { Answer } from "../../parts/answer.tsx"
import { Button } from "../../parts/button.tsx"
import { itemHref } from "../../parts/item-href.ts"
import { Time } from "../../parts/time.tsx"
import { ForgetDialog } from "../detail/forget-dialog.tsx"
import { Compared } from "./compared.tsx"
import type { CaseWay } from "./use-proposal-change.ts"

/** Two active entries that are nearly the same. */
export function PairView({ pair, way }: { pair: NearDuplicateRow; way: CaseWay }) {
  const one = useQuery(itemQuery(pair.one.id))
  const other = useQuery(itemQuery(pair.other.id))
  return (
    <article className="proposal">
      <header className="proposal-head">
        <h2 className="proposal-title">Near-duplicate entries</h2>
        <p className="proposal-facts">
          {Math.round(pair.likeness * 100)} % similar, both active: an agent may be handed both. Forget the less useful
          one, or edit one so that they differ.
        </p>
      </header>
      <Answer query={one}>
        {(first) => (
          <Answer query={other}>
            {(second) => (
              <Compared
                before={{
                  head: <PairHead detail={first} way={way} />,
                  title: first.row.title,
                  markdown: first.markdown,
                }}
                after={{
                  head: <PairHead detail={second} way={way} />,
                  title: second.row.title,
                  markdown: second.markdown,
                }}
              />
            )}
          </Answer>
        )}
      </Answer>
    </article>
  )
}

function PairHead({ detail, way }: { detail: Detail; way: CaseWay }) {
  const [isForgetting, setForgetting] = useState(false)
  const { row, can } = detail
  return (
    <>
      <Link href={itemHref(row.id)}>Open</Link>
      <span className="compared-author">{row.author}</span>
      {row.at === null ? null : <Time at={row.at} />}
      <Button
        look="danger"
        className="compared-action"
        disabled={can.forget !== true}
        title={can.forget === true ? undefined : can.forget}
        onClick={() => setForgetting(true)}
      >
        Forget this one
      </Button>
      <ForgetDialog
        detail={detail}
        isOpen={isForgetting}
        onClose={() => setForgetting(false)}
        place={{ hrefOf: () => way.href, onGone: way.onDone }}
      />
    </>
  )
}
