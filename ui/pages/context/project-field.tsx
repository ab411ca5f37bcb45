import { useQuery } from "@tanstack/react-query"
import { projectsQuery } from "../../api/team-queries.ts"
import { Field } from "../../parts/field.tsx"
import { Select } from "../../parts/select.tsx"

type Properties = { project: string; onChange: (project: string) => void }

/** On a team's server the task belongs to one of many projects. */
export function ProjectField({ project, onChange }: Properties) {
  const { data } = useQuery(projectsQuery())
  const ids = new Set([...(data?.projects.map(({ id }) => id) ?? []), ...(project === "" ? [] : [project])])
  return (
    <Field label="Project" hint="Memories of other projects are included only if they apply everywhere.">
      {(attributes) => (
        <Select
          {...attributes}
          className="question-who"
          value={project}
          onChange={onChange}
          options={[{ value: "", name: "No project" }, ...[...ids].map((id) => ({ value: id, name: id }))]}
        />
      )}
    </Field>
  )
}
