import { chooser } from "./chooser.ts"
import { makeText } from "./grammar.ts"
import { mutateJson } from "./mutate-json.ts"
import { longestInput, mutateText } from "./mutate-text.ts"
import type { Reader } from "./reader.ts"

/** One input of a reader, determined by the seed and its number: an example mutated, a text by the grammar, or that mutated. */
export function makeInput(reader: Reader, seed: number, index: number): Buffer {
  return Buffer.from(makeInputText(reader, seed, index), reader.binary ? "latin1" : "utf8")
}

export function makeInputText(reader: Reader, seed: number, index: number): string {
  const choose = chooser(`${seed} ${reader.name} ${index}`)
  const examples = reader.examples()
  const isMade = reader.grammar !== undefined && choose.chance(0.4)
  const base =
    isMade && reader.grammar ? makeText(reader.grammar, choose) : window(choose.from(examples), choose, reader)
  if (isMade && choose.chance(0.4)) return base
  const json = choose.chance(0.6) ? mutateJson(base, choose) : undefined
  if (json !== undefined && choose.chance(0.8)) return json.slice(0, longestInput)
  return mutateText(json ?? base, choose.from(examples), choose)
}

const longestWindow = 6000

/** Of a long example some whole lines are enough, and faster to read. */
function window(text: string, { below, chance }: ReturnType<typeof chooser>, { binary }: Reader): string {
  if (binary || text.length <= longestWindow || chance(0.05)) return text
  const lines = text.split("\n")
  const first = below(lines.length)
  const taken: string[] = []
  for (let at = first, length = 0; at < lines.length && length < longestWindow; at++) {
    taken.push(lines[at] ?? "")
    length += lines[at]?.length ?? 0
  }
  return taken.join("\n")
}
