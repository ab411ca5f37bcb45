import type { Overview } from "../../../src/web/api.ts"
import { formatNumber } from "../../parts/format-number.ts"
import { Measure, Measures } from "../../parts/measure.tsx"
import { Panel } from "../../parts/panel.tsx"
import { judgeHelp } from "./judge-help.ts"

/** Whether memory is worth having, and what speaks for it. */
export function Helping({ helping }: { helping: Overview["helping"] }) {
  const { hits, misses, regretSaved, withMemory, withoutMemory, tasks } = helping
  const { verdict, text } = judgeHelp(helping)
  return (
    <Panel title="Is memory helping?">
      <p className="verdict" data-verdict={verdict}>
        {text}
      </p>
      <Measures>
        <Measure
          value={formatNumber(regretSaved)}
          name="Errors and retries saved"
          meaning="An estimate: how far tasks with a memory at hand stayed below their project's usual number. A retry counts for less than an error."
        />
        <Measure
          value={formatNumber(hits)}
          name="Trouble avoided"
          meaning="Times that a memory was at hand and the trouble it is about did not come again."
        />
        <Measure
          value={formatNumber(misses)}
          name="Trouble all the same"
          meaning="Times that a memory was at hand and the trouble came again. Such memories end."
        />
        {tasks === null ? null : (
          <Measure
            value={
              withMemory === null || withoutMemory === null ? (
                <span className="measure-unknown">{tasks === 0 ? "Not compared yet" : "Too few to tell yet"}</span>
              ) : (
                `${formatNumber(withMemory)} / ${formatNumber(withoutMemory)}`
              )
            }
            name="Errors in a task, with / without memory"
            meaning="The mean of tasks that were handed memories, and of tasks that were not, for comparison."
          />
        )}
      </Measures>
    </Panel>
  )
}
