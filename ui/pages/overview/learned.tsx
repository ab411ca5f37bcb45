import type { Overview } from "../../../src/recall/browse/app-api.ts"
import { formatNumber } from "../../parts/format-number.ts"
import { explorerHref } from "../../parts/item-href.ts"
import { Measure, Measures } from "../../parts/measure.tsx"
import { Panel } from "../../parts/panel.tsx"

/** What Drey learned by itself, by status. */
export function Learned({ learned: { onTrial, proven, ended } }: { learned: Overview["learned"] }) {
  const parts = [
    { status: "proven", count: proven },
    { status: "on-trial", count: onTrial },
    { status: "ended", count: ended },
  ].filter(({ count }) => count > 0)
  return (
    <Panel title="Learned memories">
      {parts.length === 0 ? null : (
        <div className="stack-bar" aria-hidden>
          {parts.map(({ status, count }) => (
            <span key={status} data-status={status} style={{ flexGrow: count }} />
          ))}
        </div>
      )}
      <Measures>
        <Measure
          value={formatNumber(proven)}
          name="Proven"
          meaning="Proven by use: included whenever relevant."
          href={explorerHref("status:proven")}
        />
        <Measure
          value={formatNumber(onTrial)}
          name="On trial"
          meaning="New: included occasionally until there is enough evidence."
          href={explorerHref("status:on-trial")}
        />
        <Measure
          value={formatNumber(ended)}
          name="Ended"
          meaning="Did not help or was not needed: no longer included."
          href={explorerHref("status:ended")}
        />
      </Measures>
    </Panel>
  )
}
