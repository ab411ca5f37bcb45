/** The sentences of a message, and their parts after a colon or semicolon, or beginning with "we". */
export function sentencesOf(message: string): string[] {
  return borders
    .reduce((pieces, border) => pieces.flatMap((piece) => piece.split(border)), [message])
    .map((sentence) => sentence.replace(/^\s*(?:[-*•>]|\d{1,2}[.)])\s+/, "").trim())
    .map((sentence) => sentence.replace(/^\(([^()]+)\)$/, "$1"))
    .filter((sentence) => sentence !== "")
}

const borders = [
  /(?<=[.!?])\s+|(?<=[。！？])|\n+|(?<=[,—–])\s+(?=we\b)/i,
  /(?<=:)(?<!\b(?:remember|mind|note|record|reference|on|forward|future|rule):)\s+/i, // "remember:" means nothing without what follows
  /(?<=;)\s+(?!(?:instead|rather|only|please|use|prefer|ask|open|go|call|import|put|write|run|create|make|keep|send|raise)\b)/i, // the alternative stays with its rule
]
