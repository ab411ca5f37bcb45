/** Cuts a text as o200k_base does before it joins bytes: nothing is left out, and no token reaches over two pieces. */
export function cutPieces(text: string): string[] {
  if (western.test(text)) return text.match(westernPieces) ?? []
  anyPieces ??= piecePattern({
    upper: String.raw`\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}`,
    lower: String.raw`\p{Ll}\p{Lm}\p{Lo}\p{M}`,
    letter: String.raw`\p{L}`,
    digit: String.raw`\p{N}`,
  })
  return text.match(anyPieces) ?? []
}

/** Latin letters, punctuation, arrows, signs and emoji; no letter, digit or mark but those listed below is in here. */
const western =
  /^[\ufe0f\0-\xa9\xab-\xb1\xb4-\xb8\xbb\xbf-\xff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u245f\u2500-\u2775\u2794-\u2bff\u{1f300}-\u{1faff}]*$/u

const westernPieces = piecePattern({
  upper: String.raw`A-Z\xc0-\xd6\xd8-\xde\ufe0f`,
  lower: String.raw`a-z\xb5\xdf-\xf6\xf8-\xff\ufe0f`,
  letter: String.raw`A-Za-z\xb5\xc0-\xd6\xd8-\xf6\xf8-\xff`,
  digit: "0-9",
})

/** Made when it is first needed: its Unicode classes take longer to compile than a context takes to count. */
let anyPieces: RegExp | undefined

/** `upper` and `lower` both hold the marks, of which a variation selector is one, and letters that are neither. */
function piecePattern(classes: { upper: string; lower: string; letter: string; digit: string }): RegExp {
  const { upper, lower, letter, digit } = classes
  const before = String.raw`[^\r\n${letter}${digit}]?`
  const contraction = "(?:'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE]))?"
  const words = `${before}[${upper}]*[${lower}]+${contraction}|${before}[${upper}]+[${lower}]*${contraction}`
  const others = String.raw`[${digit}]{1,3}| ?[^\s${letter}${digit}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
  return new RegExp(`${words}|${others}`, "gu")
}
