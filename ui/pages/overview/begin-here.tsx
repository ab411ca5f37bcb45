import { useQuery } from "@tanstack/react-query"
import type { Overview } from "../../../src/recall/browse/app-api.ts"
import { aboutQuery } from "../../api/queries.ts"
import { CopyCommand } from "../../parts/copy-command.tsx"
import { Panel } from "../../parts/panel.tsx"
import { Needs } from "./needs.tsx"

const beginnings = [
  {
    does: "Connect the coding agents on this machine to the team's memory.",
    command: "drey connect",
  },
  { does: "Learn from their past sessions.", command: "drey ingest" },
  { does: "Record a first decision.", command: 'drey memory write "Use one index" --class DECISION' },
]

const beginningsOfTeam = [
  {
    does: "Sign in on each of the team's machines with its own token, created under Admin, Tokens.",
    command: `drey team login ${location.origin}`,
  },
  { does: "Share a proven memory. `drey memory` lists them.", command: "drey team share <id>" },
]

/** What to do while nothing is remembered. */
export function BeginHere({ needs }: { needs: Overview["needs"] }) {
  const { data: about } = useQuery(aboutQuery())
  return (
    <>
      {needs.length > 0 ? <Needs needs={needs} /> : null}
      <Panel title="No memories yet">
        <ol className="beginnings">
          {(about?.team ? beginningsOfTeam : beginnings).map(({ does, command }) => (
            <li key={command} className="beginning">
              <p>{does}</p>
              <CopyCommand command={command} />
            </li>
          ))}
        </ol>
      </Panel>
    </>
  )
}
