import type { Discovery } from "../../../src/formats/session/agent-memory.ts"
import { EmptyState } from "../../parts/empty-state.tsx"
import { Markdown } from "../../parts/markdown.tsx"
import { Time } from "../../parts/time.tsx"
import { Became } from "./became.tsx"
import { byTime, type Noted } from "./noted.ts"

/** What the agents found out, the newest first. */
export function DiscoveryList({ discoveries }: { discoveries: Noted<Discovery>[] }) {
  if (discoveries.length === 0) return <EmptyState title="No discoveries yet." />
  return (
    <ul className="notes">
      {byTime(discoveries).map(({ agent, entry }) => (
        <li key={`${agent}/${entry.id}`} className="note">
          <p className="attempt-facts">
            <span className="note-weight" data-weight={entry.importance}>
              {entry.importance}
            </span>
            <span>{entry.type.replaceAll("_", " ")}</span>
            <span>{agent}</span>
            <Time at={entry.timestamp} />
          </p>
          {entry.summary ? <p className="attempt-title">{entry.summary}</p> : null}
          <Markdown text={entry.content} />
          {entry.relatedFiles.length > 0 ? (
            <p className="attempt-part">
              <span className="attempt-part-name">Files:</span> <code>{entry.relatedFiles.join(", ")}</code>
            </p>
          ) : null}
          {entry.actionItems.map((item) => (
            <p key={item} className="attempt-part">
              <span className="attempt-part-name">To do:</span> {item}
            </p>
          ))}
          <Became id={entry.graduatedTo} />
        </li>
      ))}
    </ul>
  )
}
