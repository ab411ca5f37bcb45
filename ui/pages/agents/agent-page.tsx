import { useQuery } from "@tanstack/react-query"
import ArrowLeft from "lucide-react/icons/arrow-left"
import { Link } from "wouter"
import { quoteValue } from "../../../src/formats/query.ts"
import type { AgentDetail } from "../../../src/recall/browse/app-api.ts"
import { agentQuery } from "../../api/queries.ts"
import { Answer } from "../../parts/answer.tsx"
import { formatNumber, quantity } from "../../parts/format-number.ts"
import { explorerHref } from "../../parts/item-href.ts"
import { Measure, Measures } from "../../parts/measure.tsx"
import { Page } from "../../parts/page.tsx"
import { relativeTime } from "../../parts/relative-time.ts"
import { Tabs } from "../../parts/tabs.tsx"
import { useSearchValues } from "../../parts/use-search-values.ts"
import { AgentItems } from "./agent-items.tsx"
import { formatBytes } from "./format-bytes.ts"
import { Handed } from "./handed.tsx"
import { Knows } from "./knows.tsx"

/** One agent: what it has contributed, what it knows about, and what it was handed. */
export function AgentPage({ name }: { name: string }) {
  const query = useQuery(agentQuery(name))
  return (
    <Page
      title={query.data?.row.name ?? name}
      actions={
        <Link href="/agents" className="agents-back">
          <ArrowLeft size={14} aria-hidden /> All agents
        </Link>
      }
    >
      <Answer query={query}>{(agent) => <Agent agent={agent} />}</Answer>
    </Page>
  )
}

function Agent({ agent: { row, history, decisions, knows, handed } }: { agent: AgentDetail }) {
  const [values, change] = useSearchValues()
  const by = `author:${quoteValue(row.name)}`
  const tabs = [
    {
      id: "decisions",
      name: "Decisions",
      count: row.decisions,
      content: (
        <AgentItems rows={decisions} of={row.decisions} query={`${by} type:decision`} none="No decisions yet." />
      ),
    },
    {
      id: "history",
      name: "History",
      content: (
        <AgentItems rows={history} of={history.length} query={`${by} source:history`} none="Its history is empty." />
      ),
    },
    { id: "knows", name: "Knowledge", count: knows.length, content: <Knows knows={knows} by={by} /> },
    { id: "handed", name: "Contexts", count: handed.length, content: <Handed handed={handed} /> },
  ]
  const asked = values.get("tab")
  return (
    <>
      <section className="panel" aria-label="Figures">
        {row.role ? <p className="agent-role">{row.role}</p> : null}
        <Measures>
          <Measure
            value={formatNumber(row.entries)}
            name="Entries"
            meaning={`Written by it or in its history; the last ${row.lastAt === null ? "is not dated" : relativeTime(row.lastAt, Date.now())}.`}
            href={explorerHref(by)}
          />
          <Measure
            value={formatNumber(row.decisions)}
            name="Decisions"
            meaning="Entries among these that bind the team."
            href={explorerHref(`${by} type:decision`)}
          />
          <Measure
            value={formatBytes(row.historyBytes)}
            name="History file"
            meaning="What it learned about its own work; shown only to this agent."
          />
          <Measure
            value={row.meanTokens === null ? "none yet" : formatNumber(row.meanTokens)}
            name="Tokens per task"
            meaning={`Average context size over ${quantity(row.tasks, "task")}. Every task starts with ${formatNumber(row.baseTokens)} tokens of rules.`}
          />
        </Measures>
      </section>
      <Tabs
        label="About this agent"
        tabs={tabs}
        shown={tabs.some(({ id }) => id === asked) ? (asked ?? "decisions") : "decisions"}
        onChange={(tab) => change({ tab: tab === "decisions" ? null : tab }, { replace: true })}
      />
    </>
  )
}
