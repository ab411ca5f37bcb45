import { Link } from "wouter"
import type { ProposalDetail } from "../../../src/recall/browse/app-api.ts"
import { itemHref } from "../../parts/item-href.ts"
import { Time } from "../../parts/time.tsx"
import { Compared } from "./compared.tsx"

type Against = ProposalDetail["against"][number]

/** The active entries, each beside what is proposed. */
export function AgainstList({ proposal }: { proposal: ProposalDetail }) {
  return proposal.against.map((against) => (
    <section key={against.row.id} className="against" aria-label={`Beside ${against.row.title}`}>
      <p className="against-why">{tellRelation(against)}</p>
      <Compared
        before={{
          head: (
            <>
              <span>Active</span> <Link href={itemHref(against.row.id)}>Open</Link>
              <span className="compared-author">{against.row.author}</span>
              {against.row.at === null ? null : <Time at={against.row.at} />}
            </>
          ),
          title: against.row.title,
          markdown: against.markdown,
        }}
        after={{
          head: (
            <>
              <span>Proposed</span> <span className="compared-author">{proposal.row.author}</span>
              {proposal.row.at === null ? null : <Time at={proposal.row.at} />}
            </>
          ),
          title: proposal.row.title,
          markdown: proposal.markdown,
        }}
      />
    </section>
  ))
}

function tellRelation({ relation, likeness }: Against): string {
  const alike = `${Math.round(likeness * 100)} % alike`
  return relation === "supersedes"
    ? `It would replace this entry (${alike}).`
    : `It is nearly the same as this entry (${alike}); accepting it keeps both active.`
}
