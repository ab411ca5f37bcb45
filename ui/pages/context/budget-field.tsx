import { useId } from "react"
import { usualBudget } from "./use-question.ts"

const most = 8000
const step = 100
/** The server's own limit. */
const mostTyped = 200_000

/** A slider for what is usual, and a field for any number. */
export function BudgetField({ budget, onChange }: { budget: number; onChange: (budget: number) => void }) {
  const id = useId()
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        Token budget
      </label>
      <div className="budget">
        <input
          id={id}
          aria-describedby={`${id}-note`}
          type="range"
          className="budget-slider"
          min={0}
          max={most}
          step={step}
          value={Math.min(budget, most)}
          aria-valuetext={`${budget} tokens`}
          onChange={(event) => onChange(event.target.valueAsNumber)}
        />
        <input
          aria-label="Token budget, as a number"
          type="number"
          className="input budget-number"
          min={0}
          max={mostTyped}
          step={step}
          value={budget}
          onChange={(event) => onChange(Math.min(mostTyped, Math.max(0, Math.round(Number(event.target.value)))))}
        />
      </div>
      <p id={`${id}-note`} className="field-hint">
        A token is about three quarters of a word. Default: {usualBudget.toLocaleString("en")}.
      </p>
    </div>
  )
}
