import { parseArgs } from "node:util"
import { builtInPolicy } from "../../src/formats/policy.ts"
import { rulesFor } from "../../src/memories/review/evaluation.ts"
import { type Arm, dreyArm, literalArm, recencyArm, useCountArm } from "./arms.ts"
import { type Rank, ranks } from "./ranks.ts"
import { type Run, simulate } from "./simulate.ts"
import { patterns, type Subject, standing, type Worth, world, worths } from "./simulated-world.ts"

/** Whether the rules keep what helps and let go of what does not: `node scripts/run-ts.mjs bench/learning/simulation.ts [--seeds 20]`. */
export function runSimulation(seeds = 20): void {
  const mix = worths.map((worth) => `${world.memories[worth]} ${worth}`).join(", ")
  console.log(
    `${mix} memories; ${world.tasks} tasks, each relevant to ${world.relevant}, at most ${world.fitting} handed out.`,
  )
  console.log(
    `Means over ${seeds} seeds, the worst seed in brackets. First all memories are patterns, then all of another kind; nothing expires or decays meanwhile.`,
  )
  console.log(
    "Which rank chooses what is handed out is not a matter of these rules, and decides much: one table for each.",
  )
  for (const rank of ranks) {
    const results = [dreyArm, literalArm, useCountArm, recencyArm].map((arm) => runSeeds(seeds, rank, arm))
    console.log(`\n## ${rank.name}\n\nAssumed: ${rank.words}.\n`)
    printShares(results)
    printErrors(results)
    if (results[0]) printGoals(results[0])
  }
  for (const subject of standing) printStanding(subject, seeds)
}

export type Result = { arm: string; runs: Run[] }

export function runSeeds(seeds: number, rank: Rank, openArm: () => Arm, subject: Subject = patterns): Result {
  const runs = Array.from({ length: seeds }, (_, index) => simulate(index + 1, rank, openArm(), subject))
  return { arm: openArm().name, runs }
}

type Share = keyof Run["shares"][Worth]

export function meanShare({ runs }: Result, worth: Worth, share: Share): number {
  return runs.reduce((sum, { shares }) => sum + shares[worth][share], 0) / runs.length
}

function worstShare({ runs }: Result, worth: Worth, share: Share, wanted: "high" | "low"): number {
  const all = runs.map(({ shares }) => shares[worth][share])
  return wanted === "high" ? Math.min(...all) : Math.max(...all)
}

function printShares(results: readonly Result[]): void {
  const head = ["", "promoted", "ended", "on trial", "ever promoted"]
  for (const worth of worths) {
    console.log(row([`${worth}`, ...head.slice(1)]))
    for (const result of results) {
      const cell = (share: Share, wanted: "high" | "low") =>
        `${percent(meanShare(result, worth, share))} (${percent(worstShare(result, worth, share, wanted))})`
      const keep = worth === "useful" ? "high" : "low"
      const end = worth === "useful" ? "low" : "high"
      const cells = [cell("promoted", keep), cell("ended", end), percent(meanShare(result, worth, "onTrial"))]
      console.log(row([`  ${result.arm}`, ...cells, cell("everPromoted", keep)]))
    }
  }
}

/** The same world with memories that no error can prove wrong: only errors above the average and the user's corrections count against them. */
function printStanding(subject: Subject, seeds: number): void {
  const { min_opportunities, min_use_ratio, min_regret_hits } = rulesFor(
    { ...subject, polarity: 1 },
    builtInPolicy,
  ).promotion
  console.log(`\n## All memories are ${subject.kind}s\n`)
  console.log(
    `Assumed: each is put to the test whenever it is handed out (${subject.exposure}), and has no error that could come back. Promoted with ${min_opportunities} chances, a ratio of ${min_use_ratio} and ${min_regret_hits} more helps than failures.\n`,
  )
  console.log(row(["promoted", ...worths, "(crowded-out ended)"]))
  for (const rank of ranks) {
    console.log(`  ${rank.name}`)
    for (const arm of [dreyArm, literalArm]) {
      const result = runSeeds(seeds, rank, arm, subject)
      const promoted = worths.map((worth) => percent(meanShare(result, worth, "promoted")))
      console.log(row([`    ${result.arm}`, ...promoted, percent(meanShare(result, "crowded-out", "ended"))]))
    }
  }
}

function printErrors(results: readonly Result[]): void {
  console.log("\nErrors a task, for each tenth of the time")
  for (const { arm, runs } of results) {
    const tenths = Array.from({ length: 10 }, (_, tenth) => {
      return runs.reduce((sum, { errors }) => sum + (errors[tenth] ?? 0), 0) / runs.length
    })
    console.log(`  ${arm.padEnd(12)}${tenths.map((value) => value.toFixed(2)).join("  ")}`)
  }
}

function printGoals(drey: Result): void {
  const goals: [string, number, (share: number) => boolean][] = [
    ["useful promoted, at least 95 %", meanShare(drey, "useful", "promoted"), (share) => share >= 0.95],
    ["useless promoted, at most 10 %", meanShare(drey, "useless", "promoted"), (share) => share <= 0.1],
    ["harmful promoted, none", meanShare(drey, "harmful", "promoted"), (share) => share === 0],
    ["crowded-out ended, at least 80 %", meanShare(drey, "crowded-out", "ended"), (share) => share >= 0.8],
  ]
  console.log("\nGoals for Drey's rules")
  for (const [goal, share, isMet] of goals)
    console.log(`  ${isMet(share) ? "met   " : "MISSED"} ${goal}: ${percent(share)}`)
}

function row([first = "", ...cells]: string[]): string {
  return first.padEnd(16) + cells.map((cell) => cell.padEnd(18)).join("")
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

if (process.argv[1]?.includes("simulation")) {
  const { values } = parseArgs({ options: { seeds: { type: "string", default: "20" } } })
  runSimulation(Number(values.seeds))
}
