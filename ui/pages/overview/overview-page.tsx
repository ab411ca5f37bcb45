import { useQuery } from "@tanstack/react-query"
import type { Overview } from "../../../src/recall/browse/app-api.ts"
import { overviewQuery } from "../../api/queries.ts"
import { Answer } from "../../parts/answer.tsx"
import { Page } from "../../parts/page.tsx"
import { BeginHere } from "./begin-here.tsx"
import { ContextCost } from "./context-cost.tsx"
import { Helping } from "./helping.tsx"
import { ItemsPanel } from "./items-panel.tsx"
import { Learned } from "./learned.tsx"
import { Needs } from "./needs.tsx"
import "./overview.css"
import { WrittenDown } from "./written-down.tsx"

export function OverviewPage() {
  const query = useQuery(overviewQuery())
  return (
    <Page title="Overview">
      <Answer query={query} lines={12}>
        {(overview) => (isEmpty(overview) ? <BeginHere needs={overview.needs} /> : <Stock overview={overview} />)}
      </Answer>
    </Page>
  )
}

function Stock({ overview }: { overview: Overview }) {
  const { helping, learned, entries, needs, cost, best, recent } = overview
  return (
    <>
      <Helping helping={helping} />
      <div className="overview">
        <div className="overview-column">
          <Needs needs={needs} />
          {cost ? <ContextCost cost={cost} /> : null}
          <ItemsPanel
            title="Most useful memories"
            rows={best}
            all={{ name: "All proven", query: "status:proven" }}
            none="No memory has helped yet. A memory helps when an agent had it and the error it describes did not recur."
          />
        </div>
        <div className="overview-column">
          <Learned learned={learned} />
          {entries ? <WrittenDown entries={entries} /> : null}
          <ItemsPanel title="Newest" rows={recent} all={{ name: "All items", query: "" }} none="No dated items yet." />
        </div>
      </div>
    </>
  )
}

/** A new team folder has nothing in it but the skills that it was set up with. */
function isEmpty({ entries, learned }: Overview): boolean {
  return (entries?.total ?? 0) === 0 && learned.onTrial + learned.proven + learned.ended === 0
}
