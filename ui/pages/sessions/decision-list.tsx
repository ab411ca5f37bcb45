import type { SessionDecision } from "../../../src/formats/session/agent-memory.ts"
import type { SessionDetail } from "../../../src/recall/browse/app-api.ts"
import { EmptyState } from "../../parts/empty-state.tsx"
import { Time } from "../../parts/time.tsx"
import { Became } from "./became.tsx"
import { nameEntry } from "./name-entry.ts"
import { byTime, type Noted } from "./noted.ts"

type Properties = {
  decisions: Noted<SessionDecision>[]
  /** All of the session, whose entries a decision may rest on. */
  agents: SessionDetail["agents"]
}

/** What the agents decided, the newest first. */
export function DecisionList({ decisions, agents }: Properties) {
  if (decisions.length === 0) return <EmptyState title="No decisions yet." />
  return (
    <ul className="notes">
      {byTime(decisions).map(({ agent, entry }) => (
        <li key={`${agent}/${entry.id}`} className="note">
          <p className="attempt-facts">
            <span>{entry.type}</span>
            {entry.impact ? <span>{entry.impact} impact</span> : null}
            {entry.reversible === undefined ? null : <span>{entry.reversible ? "reversible" : "irreversible"}</span>}
            <span>{agent}</span>
            <Time at={entry.timestamp} />
          </p>
          <p className="attempt-title">{entry.description}</p>
          {entry.reasoning ? <p>{entry.reasoning}</p> : null}
          {entry.alternatives.map(({ name, reason }) => (
            <p key={name} className="attempt-part">
              <span className="attempt-part-name">Not:</span> {reason ? `${name} — ${reason}` : name}
            </p>
          ))}
          {[...entry.relatedDiscoveries, ...entry.relatedAttempts].map((reference) => (
            <p key={reference} className="attempt-part">
              <span className="attempt-part-name">Rests on:</span> {nameEntry(agents, reference, agent)}
            </p>
          ))}
          <Became id={entry.graduatedTo} />
        </li>
      ))}
    </ul>
  )
}
