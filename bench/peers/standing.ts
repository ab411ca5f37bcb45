/** A measure in which less is better, by the name of who was measured. */
export type Measure = { what: string; unit: string; of: ReadonlyMap<string, number> }

/** Within this share two figures are the same: machines are not quieter than that. */
const same = 0.1

/** Lists who is ahead for every measure: first where a peer is, by name. */
export function describeStanding(measures: readonly Measure[]): string {
  const lines = measures.flatMap(lineOf)
  const told = (isOurs: boolean) => {
    const own = lines.filter((line) => line.isOurs === isOurs).map(({ text }) => `- ${text}.`)
    return own.length === 0 ? "- nothing." : own.join("\n")
  }
  return `Another than Drey:\n\n${told(false)}\n\nDrey, or nobody by more than a tenth:\n\n${told(true)}`
}

function lineOf({ what, unit, of }: Measure): { isOurs: boolean; text: string }[] {
  const own = of.get("Drey")
  const others = [...of]
    .filter(([name, value]) => name !== "Drey" && !Number.isNaN(value))
    .sort(([, one], [, other]) => one - other)
  const [best] = others
  if (own === undefined || Number.isNaN(own) || best === undefined) return []
  const isOurs = own <= best[1] * (1 + same)
  const ahead = others.filter(([, value]) => own > value * (1 + same))
  const named = (isOurs ? [best] : ahead).map(([name, value]) => `${name} ${show(value)}`)
  return [{ isOurs, text: `${what}: Drey ${show(own)}, ${named.join(", ")}${unit === "" ? "" : ` ${unit}`}` }]
}

function show(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 1 : 0 })
}
