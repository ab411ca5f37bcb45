import { useQuery } from "@tanstack/react-query"
import { useRef } from "react"
import type { ContextAnswer } from "../../../src/recall/browse/app-api.ts"
import { contextQuery } from "../../api/queries.ts"
import { Answer } from "../../parts/answer.tsx"
import { CopyButton } from "../../parts/copy-button.tsx"
import { Page } from "../../parts/page.tsx"
import { Tabs } from "../../parts/tabs.tsx"
import { useKeys } from "../../parts/use-keys.ts"
import { useSearchValues } from "../../parts/use-search-values.ts"
import { BudgetUse } from "./budget-use.tsx"
import "./context.css"
import { HandedText } from "./handed-text.tsx"
import { LeftOut } from "./left-out.tsx"
import { QuestionForm } from "./question-form.tsx"
import { useQuestion } from "./use-question.ts"

/** What an agent would be handed for a task. A preview: not counted as usage. */
export function ContextPage() {
  const [typed, asked, change] = useQuestion()
  const query = useQuery(contextQuery(asked))
  const task = useRef<HTMLTextAreaElement>(null)
  useKeys({ "/": () => task.current?.focus() })
  return (
    <Page title="Context preview">
      <p className="context-intro">
        Exactly what an agent is handed when it begins a task, and why. Preview only; not counted as usage.
      </p>
      <div className="context">
        <div className="context-side">
          <QuestionForm question={typed} onChange={change} taskRef={task} />
          {query.data ? <BudgetUse answer={query.data} /> : null}
        </div>
        <section className="context-result" aria-label="What it is handed" aria-busy={query.isPlaceholderData}>
          <p className="for-readers" role="status">
            {query.data && !query.isPlaceholderData ? tellInWords(query.data) : ""}
          </p>
          <Answer query={query} lines={14}>
            {(answer) => <Result answer={answer} />}
          </Answer>
        </section>
      </div>
    </Page>
  )
}

function Result({ answer }: { answer: ContextAnswer }) {
  const [values, change] = useSearchValues()
  return (
    <>
      {answer.text === "" ? null : (
        <div className="context-copy">
          <CopyButton text={answer.text} what="the text" />
        </div>
      )}
      <Tabs
        label="Items"
        shown={values.get("show") === "left" ? "left" : "in"}
        onChange={(tab) => change({ show: tab === "left" ? tab : null }, { replace: true })}
        tabs={[
          { id: "in", name: "Included", count: answer.included.length, content: <HandedText answer={answer} /> },
          { id: "left", name: "Left out", count: answer.left.length, content: <LeftOut answer={answer} /> },
        ]}
      />
    </>
  )
}

function tellInWords({ tokens, budget, included, left }: ContextAnswer): string {
  return `${included.length} items included, ${tokens} of ${budget} tokens used, ${left.length} left out`
}
