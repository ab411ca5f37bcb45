import type { ProposalDetail } from "../../../src/recall/browse/app-api.ts"
import { FlagBadge, StatusBadge, TypeBadge } from "../../parts/badge.tsx"
import { Time } from "../../parts/time.tsx"
import { origins } from "./cases.ts"

export function ProposalHead({ proposal: { row, from, path } }: { proposal: ProposalDetail }) {
  return (
    <header className="proposal-head">
      <p className="proposal-facts">
        <TypeBadge type={row.type} />
        <StatusBadge status={row.status} />
        {row.flags.map((flag) => (
          <FlagBadge key={flag} flag={flag} />
        ))}
      </p>
      <h2 className="proposal-title">{row.title}</h2>
      <p className="proposal-facts">
        <span>{[row.author, origins[from]].filter(Boolean).join(", ")}</span>
        {row.at === null ? null : <Time at={row.at} />}
        <span title="Scope">{row.scope}</span>
        {row.tags.map((tag) => (
          <span key={tag} className="proposal-tag">
            {tag}
          </span>
        ))}
        <code className="proposal-path">
          {path}:{row.line}
        </code>
      </p>
    </header>
  )
}
