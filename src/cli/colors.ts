import { randomBytes } from "node:crypto"
import { dropUnseenInLines } from "../formats/drop-unseen.ts"
import { takeOutputFlags } from "./output-flags.ts"

/** What decides about colour, from the strongest to the weakest. */
export type ColorWishes = { flag: boolean | undefined; environment: NodeJS.ProcessEnv; isTerminal: boolean }

/** Colour only on a terminal, unless a flag or the environment overrides it. */
export function wantsColor({ flag, environment, isTerminal }: ColorWishes): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment
  if (flag !== undefined) return flag
  if (NO_COLOR) return false
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false"
  return isTerminal && TERM !== "dumb"
}

const isColorSupported = wantsColor({
  flag: takeOutputFlags(process.argv).color,
  environment: process.env,
  isTerminal: process.stdout.isTTY === true,
})

/**
 * Stands for the beginning of a terminal's own codes until a text is written. No title, name or argument can hold it, since it is another
 * in every process: so whatever else steers a terminal is not ours, and is dropped.
 */
const mark = `\u001b${randomBytes(8).toString("hex")}:`

/** After the end of a style within another one, the outer one begins again. */
function style(begin: number, end: number): (text: string | number) => string {
  const [on, off] = [`${mark}${begin}m`, `${mark}${end}m`]
  return (text) => (isColorSupported ? `${on}${String(text).replaceAll(off, `${off}${on}`)}${off}` : String(text))
}

export const colors = {
  isColorSupported,
  bold: style(1, 22),
  dim: style(2, 22),
  italic: style(3, 23),
  strikethrough: style(9, 29),
  red: style(31, 39),
  green: style(32, 39),
  yellow: style(33, 39),
  blue: style(34, 39),
  cyan: style(36, 39),
}

/** A text as a terminal may get it: with the styles above, without anything else that steers it. */
export function forTerminal(text: string): string {
  const [plain = "", ...styled] = text.split(mark)
  const pieces = styled.map((piece) => {
    const code = /^\d+m/.exec(piece)?.[0]
    return code === undefined
      ? dropUnseenInLines(piece)
      : `\u001b[${code}${dropUnseenInLines(piece.slice(code.length))}`
  })
  return [dropUnseenInLines(plain), ...pieces].join("")
}
