import { useQuery } from "@tanstack/react-query"
import type { RefObject } from "react"
import { aboutQuery } from "../../api/queries.ts"
import { Field } from "../../parts/field.tsx"
import { AgentField } from "./agent-field.tsx"
import { BudgetField } from "./budget-field.tsx"
import { ProjectField } from "./project-field.tsx"
import type { Question } from "./use-question.ts"

type Properties = {
  question: Question
  onChange: (part: Partial<Question>) => void
  taskRef: RefObject<HTMLTextAreaElement | null>
}

export function QuestionForm({ question, onChange, taskRef }: Properties) {
  const { data: about } = useQuery(aboutQuery())
  return (
    <form className="question" aria-label="Who asks for what" onSubmit={(event) => event.preventDefault()}>
      {about?.team ? (
        <ProjectField project={question.project} onChange={(project) => onChange({ project })} />
      ) : (
        <AgentField agents={about?.agents ?? []} agent={question.agent} onChange={(agent) => onChange({ agent })} />
      )}
      <Field label="Task" hint="As you would describe it to the agent.">
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
      <Field label="Files (optional)" hint="Paths from the repository's root, separated by commas.">
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
