import type { MemoryContext } from "../../../src/formats/session/agent-memory.ts"
import type { SessionDetail } from "../../../src/recall/browse/app-api.ts"
import { EmptyState } from "../../parts/empty-state.tsx"

type Lists = "blockers" | "openQuestions" | "nextSteps" | "constraints" | "assumptions"

const lists: { key: Lists; name: string }[] = [
  { key: "blockers", name: "Blockers" },
  { key: "openQuestions", name: "Open questions" },
  { key: "nextSteps", name: "Next" },
  { key: "constraints", name: "Constraints" },
  { key: "assumptions", name: "Assumptions" },
]

/** The current state of each agent. */
export function AgentContexts({ agents }: Pick<SessionDetail, "agents">) {
  const known = agents.flatMap(({ name, memory }) => (memory.context ? { name, context: memory.context } : []))
  if (known.length === 0) return <EmptyState title="No agent has recorded its context." />
  return (
    <div className="contexts">
      {known.map(({ name, context }) => (
        <section key={name} className="agent-context" aria-label={name}>
          <h3>{name}</h3>
          <ContextList context={context} />
        </section>
      ))}
    </div>
  )
}

function ContextList({ context }: { context: MemoryContext }) {
  const { currentPlanStep, filesInScope } = context
  const rows = [
    ...(currentPlanStep === undefined ? [] : [{ name: "Plan step", values: [String(currentPlanStep)] }]),
    ...lists.map(({ key, name }) => ({ name, values: context[key] })),
    { name: "Files", values: filesInScope.map(({ path, purpose }) => (purpose ? `${path} — ${purpose}` : path)) },
  ].filter(({ values }) => values.length > 0)
  if (rows.length === 0) return <p className="agent-context-none">Nothing noted.</p>
  return (
    <dl className="agent-context-list">
      {rows.map(({ name, values }) => (
        <div key={name}>
          <dt>{name}</dt>
          {values.map((value) => (
            <dd key={value}>{value}</dd>
          ))}
        </div>
      ))}
    </dl>
  )
}
