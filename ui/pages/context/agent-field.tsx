import { Field } from "../../parts/field.tsx"
import { Select } from "../../parts/select.tsx"

type Properties = { agents: string[]; agent: string; onChange: (agent: string) => void }

export function AgentField({ agents, agent, onChange }: Properties) {
  const names = new Set([...agents, ...(agent === "" ? [] : [agent])])
  return (
    <Field label="Agent" hint="Its own history is not shown to other agents.">
      {(attributes) => (
        <Select
          {...attributes}
          className="question-who"
          value={agent}
          onChange={onChange}
          options={[{ value: "", name: "Any agent" }, ...[...names].map((name) => ({ value: name, name }))]}
        />
      )}
    </Field>
  )
}
