import type { Overview } from "../../../src/recall/browse/app-api.ts"
import { formatNumber } from "../../parts/format-number.ts"
import { Measure, Measures } from "../../parts/measure.tsx"
import { Panel } from "../../parts/panel.tsx"
import { judgeHelp } from "./judge-help.ts"

/** Whether memory helps, and the evidence. */
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
          meaning="Estimated: how many fewer errors and retries tasks with memory had than usual in their project. A retry counts less than an error."
        />
        <Measure
          value={formatNumber(hits)}
          name="Helped"
          meaning="Times an agent had a memory and the error it describes did not recur."
        />
        <Measure
          value={formatNumber(misses)}
          name="Didn't help"
          meaning="Times an agent had a memory and the error recurred. Such memories are retired."
        />
        {tasks === null ? null : (
          <Measure
            value={
              withMemory === null || withoutMemory === null ? (
                <span className="measure-unknown">{tasks === 0 ? "Not compared yet" : "Not enough data yet"}</span>
              ) : (
                `${formatNumber(withMemory)} / ${formatNumber(withoutMemory)}`
              )
            }
            name="Errors per task, with / without memory"
            meaning="The mean over tasks with memories and over tasks without, for comparison."
          />
        )}
      </Measures>
    </Panel>
  )
}
