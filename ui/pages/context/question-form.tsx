import { useQuery } from "@tanstack/react-query"
import type { RefObject } from "react"
import { aboutQuery } from "../../api/queries.ts"
import { Field } from "../../parts/field.tsx"
import { Select } from "../../parts/select.tsx"
import { BudgetField } from "./budget-field.tsx"
import type { Question } from "./use-question.ts"

type Properties = {
  question: Question
  onChange: (part: Partial<Question>) => void
  taskRef: RefObject<HTMLTextAreaElement | null>
}

export function QuestionForm({ question, onChange, taskRef }: Properties) {
  const { data: about } = useQuery(aboutQuery())
  const names = new Set([...(about?.agents ?? []), ...(question.agent === "" ? [] : [question.agent])])
  return (
    <form className="question" aria-label="Who asks for what" onSubmit={(event) => event.preventDefault()}>
      <Field label="Agent" hint="Its own history is handed to nobody else.">
        {(attributes) => (
          <Select
            {...attributes}
            className="question-agent"
            value={question.agent}
            onChange={(agent) => onChange({ agent })}
            options={[{ value: "", name: "No name given" }, ...[...names].map((name) => ({ value: name, name }))]}
          />
        )}
      </Field>
      <Field label="Task" hint="As a person would give it to the agent.">
        {(attributes) => (
          <textarea
            {...attributes}
            ref={taskRef}
            className="text-area question-task"
            placeholder="Retry uploads that fail half way"
            value={question.task}
            onChange={(event) => onChange({ task: event.target.value })}
          />
        )}
      </Field>
      <Field label="Files (optional)" hint="From the root of the repository, with commas between.">
        {(attributes) => (
          <input
            {...attributes}
            className="input"
            placeholder="src/upload.ts, src/retry.ts"
            spellCheck={false}
            autoCapitalize="off"
            value={question.paths}
            onChange={(event) => onChange({ paths: event.target.value })}
          />
        )}
      </Field>
      <BudgetField budget={question.budget} onChange={(budget) => onChange({ budget })} />
    </form>
  )
}
