import { percentile } from "../../bench/recall-speed/timing.ts"
import type { EndReport } from "./check-end.ts"
import { fitSlope, mean } from "./fit-line.ts"
import type { SoakLog } from "./soak-log.ts"

/** Minutes after which a process has loaded what it needs. */
const warmUp = 1.5

export function printSoak(log: SoakLog, end: EndReport): void {
  console.table(Object.fromEntries(log.runs))
  console.log(`${log.kills} processes were killed`)
  console.table(end.counts)
  printContexts(log.contexts)
  printMemory(log.memory)
  for (const [words, times] of log.troubles) console.log(`trouble, ${times} times: ${words}`)
  for (const line of end.checked) console.log(`checked: ${line}`)
  for (const line of end.wrong) console.log(`WRONG: ${line}`)
}

function printContexts(contexts: SoakLog["contexts"]): void {
  const third = Math.ceil(contexts.length / 3)
  const row = (some: SoakLog["contexts"]) => {
    const times = some.map(({ ms }) => ms)
    return {
      contexts: times.length,
      "p50 ms": Math.round(percentile(times, 0.5)),
      "p95 ms": Math.round(percentile(times, 0.95)),
    }
  }
  console.table({ "first third": row(contexts.slice(0, third)), "last third": row(contexts.slice(-third)) })
}

/** A straight line through what each process had in memory after it was warm. */
function printMemory(memory: SoakLog["memory"]): void {
  const rows = [...new Set(memory.map(({ name }) => name))].map((name) => {
    const warm = memory.filter((each) => each.name === name && each.minute > warmUp)
    const lives = [...new Set(warm.map(({ life }) => life))]
    const slope = fitSlope(
      lives.map((life) =>
        warm.filter((each) => each.life === life).map(({ minute, megabytes }) => [minute, megabytes] as const),
      ),
    )
    return [
      name,
      {
        lives: lives.length,
        samples: warm.length,
        "mean MB": Math.round(mean(warm.map(({ megabytes }) => megabytes))),
        "MB a minute": Number(slope.toFixed(2)),
      },
    ] as const
  })
  console.table(Object.fromEntries(rows))
}
