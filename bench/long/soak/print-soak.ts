import type { EndReport } from "./check-end.ts"
import type { Judgement } from "./judge-soak.ts"
import { measureGrowth, measureThirds } from "./measure-soak.ts"
import type { SoakLog } from "./soak-log.ts"

export function printSoak(log: SoakLog, end: EndReport, judgements: readonly Judgement[]): void {
  console.table(Object.fromEntries(log.runs))
  console.log(`${log.kills} processes were killed`)
  console.table(end.counts)
  printContexts(log.contexts)
  printMemory(log.memory)
  for (const [words, times] of log.troubles) console.log(`trouble, ${times} times: ${words}`)
  for (const { verdict, limit, seen } of judgements)
    console.log(`${verdict === "broken" ? "WRONG" : verdict}: ${limit}: ${seen}`)
  for (const line of end.checked) console.log(`checked: ${line}`)
  for (const line of end.wrong) console.log(`WRONG: ${line}`)
}

function printContexts(contexts: SoakLog["contexts"]): void {
  const { first, last } = measureThirds(contexts)
  const row = ({ contexts, p50, p95 }: typeof first) => ({
    contexts,
    "p50 ms": Math.round(p50),
    "p95 ms": Math.round(p95),
  })
  console.table({ "first third": row(first), "last third": row(last) })
}

function printMemory(memory: SoakLog["memory"]): void {
  const rows = measureGrowth(memory).map(({ name, lives, minutes, mean, slope }) => [
    name,
    {
      lives,
      "warm minutes": Math.round(minutes),
      "mean MB": Math.round(mean),
      "MB a minute": Number(slope.toFixed(2)),
    },
  ])
  console.table(Object.fromEntries(rows))
}
