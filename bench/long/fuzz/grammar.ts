import type { Chooser } from "./chooser.ts"
import { oddTexts } from "./odd-texts.ts"

/**
 * How a text is assembled: by name, its alternatives. `<name>` within is replaced in turn; a name without a rule is kept.
 * The last alternative of each rule is the one that ends.
 */
export type Grammar = Readonly<Record<string, readonly string[]>>

const mostSteps = 400

/** A text that begins with the rule `text`. `<word>`, `<odd>` and `<number>` are known to every grammar. */
export function makeText(grammar: Grammar, choose: Chooser): string {
  const rules: Grammar = { ...common, ...grammar }
  let steps = 0
  const expand = (rule: string): string => {
    const alternatives = rules[rule] ?? []
    const chosen = ++steps > mostSteps ? (alternatives.at(-1) ?? "") : choose.from(alternatives)
    return chosen.replace(/<([a-z]+)>/g, (reference, name: string) =>
      Object.hasOwn(rules, name) ? expand(name) : reference,
    )
  }
  return expand("text")
}

const common: Grammar = {
  word: ["index", "two words", "café", "a-b_c", "Src/parse-date.ts", "v2.1.0", "<odd>", "x"],
  odd: [...oddTexts.map((text) => text.replaceAll("<", "‹")), "x"],
  number: ["0", "1", "-1", "7", "0.5", "1e9", "99999999999999999999", "2"],
}
