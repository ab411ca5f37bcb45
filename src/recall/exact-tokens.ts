import { boundTokens } from "./count-tokens.ts"

/** Loads the whole o200k_base tokeniser: some 0.3 s of processor time and 60 MB, so for a process that stays. */
export async function openTokenCounter(): Promise<(text: string) => number> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base")
  return (text) => (endless.test(text) ? boundTokens(text) : countTokens(text, asPlainText))
}

/** Stored text that reads like a special token, `<|endoftext|>` for one, is text like any other and must not throw. */
const asPlainText = { disallowedSpecial: new Set<string>() }

/** The package takes time with the square of a run's length, so a run without a break is bounded instead. */
const endless = /[\p{L}\p{M}]{2000}|[^\s\p{L}\p{N}]{2000}|\s{2000}/u
