import { useQuery } from "@tanstack/react-query"
import Download from "lucide-react/icons/download"
import type { ReactNode } from "react"
import type { Role } from "../../../../src/server/api.ts"
import { organisationQuery } from "../../../api/team-queries.ts"
import { Answer } from "../../../parts/answer.tsx"
import { formatNumber } from "../../../parts/format-number.ts"
import { Panel } from "../../../parts/panel.tsx"
import { Time } from "../../../parts/time.tsx"
import { DeleteOrganisation } from "./delete-organisation.tsx"
import { RenameForm } from "./rename-form.tsx"

/** The organisation as a whole: its name, all of its memory in a file, and its end. */
export function OrganisationTab({ role }: { role: Role }) {
  const query = useQuery(organisationQuery())
  return (
    <Answer query={query}>
      {(organisation) => (
        <div className="admin-tab">
          <Panel title={organisation.name}>
            <dl className="admin-facts">
              <Fact name="Short name" value={<code>{organisation.slug}</code>} />
              <Fact name="Members" value={formatNumber(organisation.members)} />
              <Fact name="Memories" value={formatNumber(organisation.memories)} />
              <Fact name="Since" value={<Time at={organisation.created} />} />
            </dl>
            {role === "owner" ? <RenameForm key={organisation.name} name={organisation.name} /> : null}
          </Panel>
          <Panel title="Export">
            <p className="admin-intro">
              Everything that the organisation has on this server, a JSON document on each line: memories with their
              evidence and history, members, teams, projects and the audit log, without secrets.
            </p>
            <a className="button admin-download" href="/v1/org/export" download>
              <Download size={14} aria-hidden /> Download the export
            </a>
          </Panel>
          {role === "owner" ? <DeleteOrganisation organisation={organisation} /> : null}
        </div>
      )}
    </Answer>
  )
}

function Fact({ name, value }: { name: string; value: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
