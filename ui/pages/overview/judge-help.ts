import type { Overview } from "../../../src/web/api.ts"
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
      text: "Too early to tell: no memory has been put to the test yet. That happens when agents work with memories at hand.",
    }
  if (trials < fewestTrials)
    return {
      verdict: "unknown",
      text: `Too few to tell yet: memories were put to the test ${quantity(trials, "time")}, and it takes ${fewestTrials}.`,
    }
  const counted = `of ${formatNumber(trials)} times that a memory was put to the test, the trouble stayed away ${quantity(hits, "time")}.`
  if (hits <= misses) return { verdict: "no", text: `Hardly: ${counted}` }
  return {
    verdict: "signs",
    text: `There are signs of it: ${counted} It might have stayed away without memory too: only tasks without it could show that.`,
  }
}

function compareTasks(withMemory: number, withoutMemory: number, tasks: number): HelpVerdict {
  const over = ` This is over ${quantity(tasks, "task")}.`
  if (withMemory >= withoutMemory)
    return { verdict: "no", text: `Not yet: tasks with memory meet no fewer errors than those without.${over}` }
  const fewer = Math.round((1 - withMemory / withoutMemory) * 100)
  return { verdict: "yes", text: `Yes: tasks with memory meet ${fewer} % fewer errors than those without.${over}` }
}
