import { DreyError } from "../../errors.ts"
import type { Check } from "../../squad/doctor/check.ts"
import { nameSome, quantity } from "../../squad/doctor/check.ts"
import type { Staleness } from "./open-staleness.ts"
import type { StalenessReport } from "./summarize-names.ts"

const shown = 3

/** Checks the files, commands and symbols that items name. */
export async function checkNames(open: () => Promise<Pick<Staleness, "judge">>): Promise<Check> {
  try {
    return tell(await (await open()).judge())
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { name, status: "warn", message: [error.message, error.hint].filter(Boolean).join(" ") }
  }
}

const name = "named files"

function tell(report: StalenessReport): Check {
  const { items, counts, stale } = report
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  if (all === 0) return { name, status: "pass", message: "No item names a file, command or symbol of the repository." }
  const found = `${quantity(all, "name")} in ${quantity(items, "item")}: ${counts.valid} valid, ${counts.moved} moved, ${counts.gone} gone, ${counts.changed} in heavily changed files, ${counts.unverifiable} unverifiable.`
  const lost = stale.filter(({ verdict }) => verdict.state !== "changed")
  if (lost.length === 0) return { name, status: "pass", message: found, details: report }
  const worst = lost.map(({ words, id }) => `${words} (${id})`)
  const message = `${found} ${nameSome(worst, shown)}. Agents see a note; "drey why ${lost[0]?.id}" lists an item's names.`
  return { name, status: "warn", message, details: report }
}
