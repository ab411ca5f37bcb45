import type { Overview } from "../../../src/recall/browse/app-api.ts"
import { formatNumber, quantity } from "../../parts/format-number.ts"

export type HelpVerdict = { verdict: "yes" | "signs" | "no" | "unknown"; text: string }

/** Fewer trials than this may be chance. */
const fewestTrials = 10
const fewestTasks = 20

/** One sentence on whether memory helps, by the best measure there is. */
export function judgeHelp({ hits, misses, withMemory, withoutMemory, tasks }: Overview["helping"]): HelpVerdict {
  if (withMemory !== null && withoutMemory !== null && tasks !== null && tasks >= fewestTasks)
    return compareTasks(withMemory, withoutMemory, tasks)
  const trials = hits + misses
  if (trials === 0)
    return {
      verdict: "unknown",
      text: "Not enough data yet: no memory has been used in a task yet.",
    }
  if (trials < fewestTrials)
    return {
      verdict: "unknown",
      text: `Not enough data yet: ${trials} of ${fewestTrials} uses.`,
    }
  const counted = `in ${formatNumber(hits)} of ${quantity(trials, "use")} the error did not recur.`
  if (hits <= misses) return { verdict: "no", text: `Hardly: ${counted}` }
  return {
    verdict: "signs",
    text: `Probably: ${counted} There are no tasks without memory to compare with.`,
  }
}

function compareTasks(withMemory: number, withoutMemory: number, tasks: number): HelpVerdict {
  const over = ` Based on ${quantity(tasks, "task")}.`
  if (withMemory >= withoutMemory)
    return { verdict: "no", text: `Not yet: tasks with memory have no fewer errors than tasks without.${over}` }
  const fewer = Math.round((1 - withMemory / withoutMemory) * 100)
  return { verdict: "yes", text: `Yes: tasks with memory have ${fewer} % fewer errors than tasks without.${over}` }
}
