import { dropUnseen } from "../formats/drop-unseen.ts"
import type { StalenessReport } from "../upkeep/staleness/summarize-names.ts"
import type { JudgedName, State } from "../upkeep/staleness/verdict.ts"
import { colors } from "./colors.ts"
import { count } from "./print.ts"

const paint: Record<State, (text: string) => string> = {
  gone: colors.red,
  moved: colors.yellow,
  changed: colors.yellow,
  valid: (text) => text,
  unverifiable: colors.dim,
}

/** One line per file, command or symbol that an item names. */
export function namesOfItem(names: readonly JudgedName[]): string[] {
  return names.map(({ words, verdict }) => `${colors.dim("names")}        ${paint[verdict.state](dropUnseen(words))}`)
}

export function namesText({ items, counts, stale }: StalenessReport): string {
  const all = Object.values(counts).reduce((sum, each) => sum + each, 0)
  return [
    `${count(all, "name")} in ${count(items, "item")}: ${counts.valid} valid, ${counts.moved} moved, ${counts.gone} gone, ${counts.changed} in heavily changed files, ${counts.unverifiable} not checkable.`,
    ...stale.map(({ id, words, verdict }) => `${colors.dim(id)}  ${paint[verdict.state](dropUnseen(words))}`),
  ].join("\n")
}
