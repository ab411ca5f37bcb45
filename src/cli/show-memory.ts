import { dropUnseen } from "../formats/drop-unseen.ts"
import { handleOf } from "../formats/memory-handle.ts"
import type { MemoryExplanation } from "../learning/explain-memory.ts"
import { colors } from "./colors.ts"
import { count } from "./print.ts"

const states = { provisional: "on trial", active: "proven", deprecated: "retired" } as const

const origins = {
  user: "the user's own words",
  verified: "a verified outcome",
  agent: "an agent's conclusion",
  tool: "a tool's output",
  import: "imported",
} as const

const sources = {
  failure_then_success: "a failure, then success",
  user_correction: "the user corrected the agent",
  explicit_statement: "the user said so",
  pattern_observed: "observed pattern",
  guard_triggered: "a triggered warning",
} as const

/** Explains a learned memory: its text, evidence, usage and what would change its status. */
export function memoryText({ memory, evidence, uses, audit, outlook }: MemoryExplanation): string {
  const line = (name: string, value: string) => `${colors.dim(name.padEnd(13))}${dropUnseen(value)}`
  const { metrics } = memory
  const handedOut = uses.filter(({ injected }) => injected).length
  const where = memory.pathPrefix ?? (memory.scope === "global" ? "every project of its owner" : "this project")
  return [
    `${colors.bold(dropUnseen(memory.text))} ${colors.dim(`[${handleOf(memory.id)}]`)}`,
    line(
      "memory",
      `${memory.id}, ${memory.kind === "invariant" ? "an" : "a"} ${memory.kind}${memory.key === undefined ? "" : ` under ${memory.key}`}`,
    ),
    line(
      "state",
      `${states[memory.status]}, ${memory.tier.replace("_", " ")}${memory.pinned ? ", pinned" : ""}${memory.flags.length > 0 ? ` (${memory.flags.join(", ")})` : ""}`,
    ),
    line("for", `${where}; ${memory.owner.type} ${memory.owner.id}`),
    line("origin", `${origins[memory.origin]}, trust ${memory.trust} of 3, confidence ${memory.confidence.toFixed(2)}`),
    ...(memory.contributedBy === undefined ? [] : [line("shared by", memory.contributedBy)]),
    ...(memory.derivedFrom === undefined ? [] : [line("refines", memory.derivedFrom)]),
    line(
      "learned",
      `${memory.created.slice(0, 10)}${memory.expires === undefined ? "" : `, expires ${memory.expires.slice(0, 10)}`}`,
    ),
    line(
      "use",
      `${count(metrics.opportunities, "opportunity", "opportunities")}, handed out ${count(metrics.useCount, "time")}, skipped ${count(metrics.passedOver, "time")}; helped ${count(metrics.hits, "time")}, failed ${count(metrics.misses, "time")}`,
    ),
    ...(metrics.regretSaved === 0 && metrics.netRegret === 0
      ? [] // no difference to the baseline, or no baseline yet
      : [line("credit", `${metrics.regretSaved.toFixed(2)} errors saved (net ${metrics.netRegret.toFixed(2)})`)]),
    "",
    ...evidence.flatMap(({ source, transcript, line: at, quote, created, frustration }) => [
      `${colors.dim("evidence")}     ${created.slice(0, 10)}  ${sources[source]}${frustration === "none" ? "" : `, ${frustration} frustration`}`,
      `             ${dropUnseen(transcript)}${at > 0 ? `:${at}` : ""}`,
      ...(quote === "" ? [] : [`             ${colors.italic(`“${dropUnseen(quote)}”`)}`]),
    ]),
    ...(handedOut > 0
      ? [
          "",
          ...uses
            .filter(({ injected }) => injected)
            .slice(-5)
            .map(useText),
        ]
      : []),
    ...(audit.length > 1
      ? [
          "",
          ...audit.map(
            ({ ts, action, reason }) =>
              `${colors.dim("history")}      ${ts.slice(0, 10)}  ${action}: ${dropUnseen(reason)}`,
          ),
        ]
      : []),
    "",
    ...outlook.map((sentence) => `${colors.dim("next")}         ${sentence}`),
  ].join("\n")
}

function useText({ ts, task, rank, outcome, exposed }: MemoryExplanation["uses"][number]): string {
  const told = {
    hit: "it helped",
    helped: "reported as helpful",
    miss: "the error came back",
    wrong: "reported as wrong",
  }
  const result = outcome === undefined ? (exposed ? "relevant, outcome unknown" : "outcome unknown") : told[outcome]
  return `${colors.dim("used")}         ${ts.slice(0, 16).replace("T", " ")}  ${task}${rank === undefined ? "" : ` at rank ${rank}`}: ${result}`
}
