import type { Overview } from "../../../src/recall/browse/app-api.ts"
import { formatNumber } from "../../parts/format-number.ts"
import { explorerHref } from "../../parts/item-href.ts"
import { Measure, Measures } from "../../parts/measure.tsx"
import { Panel } from "../../parts/panel.tsx"

/** What the team itself decided and noted. */
export function WrittenDown({ entries }: { entries: NonNullable<Overview["entries"]> }) {
  const { total, inForce, superseded, decisionsPerWeek } = entries
  return (
    <Panel title="Team entries">
      <Measures>
        <Measure
          value={formatNumber(inForce)}
          name="Active"
          meaning={`Of ${formatNumber(total)} entries in all: decisions, rules, notes and histories.`}
          href={explorerHref("status:in-force")}
        />
        <Measure
          value={formatNumber(superseded)}
          name="Superseded"
          meaning="Replaced by a later entry; not shown to agents."
          href={explorerHref("status:superseded")}
        />
        <Measure
          value={formatNumber(decisionsPerWeek)}
          name="Decisions per week"
          meaning="Average of the last twelve weeks."
          href="/timeline"
        />
      </Measures>
    </Panel>
  )
}
