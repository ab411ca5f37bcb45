import { exitCode } from "../errors.ts"
import type { TidyResult } from "../squad/tidy/tidy-store.ts"
import { colors } from "./colors.ts"
import { type CommonOptions, count, print, tell } from "./print.ts"

export type TidyCommandOptions = CommonOptions & { dryRun?: boolean }

/** Prints the result of merge, archive, summarize or tidy. Exit code 1 if something needs review. */
export function showTidy(options: TidyCommandOptions, result: TidyResult): void {
  print(
    options,
    () => ({ dryRun: options.dryRun === true, ...result }),
    () => toText(options, result),
  )
  for (const refusal of result.refused) tell(`drey: ${refusal}`)
  for (const { path, why, waits } of result.left)
    tell(waits ? `drey: ${path} needs review: ${why}` : `drey: ${path} stays in the inbox: ${why}`)
  if (result.left.some(({ waits }) => waits))
    tell('drey: Accept them one by one in "drey ui", or all of them with "drey merge --accept-review".')
  for (const { to, lines } of result.quarantined)
    for (const { line, reason, rule } of lines) tell(`drey: ${to}:${line} was quarantined: ${reason} (${rule})`)
  const open = result.refused.length + result.left.length + result.quarantined.length
  if (open > 0) process.exitCode = exitCode.no
}

function toText(options: TidyCommandOptions, result: TidyResult): string {
  const lines = result.actions.map(({ type, target, description, bytesSaved }) => {
    const saved = bytesSaved > 0 ? colors.dim(` (${count(bytesSaved, "byte")} saved)`) : ""
    return `${colors.green(type.padEnd(8))} ${target}: ${description}${saved}`
  })
  for (const { titles, similarity } of result.nearDuplicates)
    lines.push(`${colors.yellow("similar ")} "${titles[0]}" and "${titles[1]}" (${Math.round(similarity * 100)} %)`)
  for (const note of result.notes) lines.push(`${colors.yellow("note    ")} ${note}`)
  if (result.actions.length === 0) lines.push("Nothing to do.")
  const agents = result.agents.filter(({ tokensSaved }) => tokensSaved !== 0)
  if (agents.length > 0) lines.push("", "Size for an agent that reads the whole files, without Drey:")
  for (const { agent, bytesBefore, bytesAfter, tokensSaved } of agents) {
    const change = `${count(bytesBefore, "byte")} → ${count(bytesAfter, "byte")}`
    lines.push(`  ${agent.padEnd(16)} ${change}, ${saving(tokensSaved)}`)
  }
  if (options.dryRun && result.actions.length > 0) lines.push("", "Run without --dry-run to apply it.")
  else if (result.actions.length > 0) lines.push("", 'Undo it with "drey undo".')
  return lines.join("\n")
}

function saving(tokens: number): string {
  return tokens > 0 ? `${count(tokens, "token")} saved` : `${count(-tokens, "token")} more`
}
