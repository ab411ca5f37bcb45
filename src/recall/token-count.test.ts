import fc from "fast-check"
import { O200K_TOKEN_SPLIT_REGEX } from "gpt-tokenizer/encodingParams/constants"
import { expect, test } from "vitest"
import { cutPieces } from "./token-count.ts"

const reference = (text: string) => text.match(O200K_TOKEN_SPLIT_REGEX) ?? []

test("every character is classified as a letter, digit, mark, space or symbol like by the tokeniser", () => {
  const wrong: string[] = []
  for (let code = 0; code < 0x20000; code++) {
    const character = String.fromCodePoint(code)
    const text = `a${character}B ${character}${character}c1${character}\n${character}`
    if (cutPieces(text).join("|") !== reference(text).join("|")) wrong.push(code.toString(16))
  }
  expect(wrong).toEqual([])
})

test("a text is split like by the tokeniser", () => {
  const signs = fc.constantFrom(..."aZé'sSlLrRe09 \t\r\n/._—→✅⚠️🚀§×".split(/(?:)/u))
  const any = fc.string({ unit: "binary", minLength: 1, maxLength: 1 })
  for (const unit of [signs, any]) {
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
        expect(cutPieces(text)).toEqual(reference(text))
      }),
      { numRuns: 3000 },
    )
  }
})
