import { useQuery } from "@tanstack/react-query"
import type { ServerProject } from "../../../src/server/api.ts"
import { teamPath } from "../../api/paths.ts"
import { projectsQuery } from "../../api/team-queries.ts"
import { useTeamChange } from "../../api/use-team-change.ts"
import { Answer } from "../../parts/answer.tsx"
import { CheckField } from "../../parts/check-field.tsx"
import { EmptyState } from "../../parts/empty-state.tsx"
import { formatNumber } from "../../parts/format-number.ts"
import { Time } from "../../parts/time.tsx"
import { AdminTable } from "./admin-table.tsx"

/** What memories are about, and which projects have agreed to send their episodes. */
export function ProjectsTab() {
  const projects = useQuery(projectsQuery())
  return (
    <div className="admin-tab">
      <p className="admin-intro">
        An episode is what an agent did for one task, cut from its transcript, without secrets. The server takes
        episodes only for projects where they are enabled. Memories do not need this, because members share each one.
      </p>
      <Answer query={projects}>
        {({ projects: found }) =>
          found.length === 0 ? (
            <EmptyState title="No projects yet." hint="A project appears when its first memory is shared." />
          ) : (
            <AdminTable
              label="Projects"
              columns={["Project", "Memories", "Last change", "Episodes"]}
              rows={found.map((project) => ({ key: project.id, cells: cellsOf(project) }))}
            />
          )
        }
      </Answer>
    </div>
  )
}

function cellsOf(project: ServerProject) {
  return [
    <span key="id" className="admin-long">
      {project.id}
    </span>,
    formatNumber(project.memories),
    project.lastChange === null ? <span className="admin-soft">never</span> : <Time at={project.lastChange} />,
    <Episodes key="episodes" project={project} />,
  ]
}

function Episodes({ project: { id, episodes } }: { project: ServerProject }) {
  const change = useTeamChange()
  const path = teamPath("projects", id)
  const set = (agreed: boolean) =>
    change.mutate({
      method: "PUT",
      path,
      body: { episodes: agreed },
      said: agreed ? `Enabled episodes for ${id}` : `Disabled episodes for ${id}`,
      undo: { method: "PUT", path, body: { episodes: !agreed } },
    })
  return (
    <CheckField isChecked={episodes} onChange={set} isBusy={change.isPending} label={`Accept episodes of ${id}`}>
      {episodes ? "accepted" : "not accepted"}
    </CheckField>
  )
}
