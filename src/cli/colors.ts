import picocolors from "picocolors"
import { takeOutputFlags } from "./output-flags.ts"

/** What decides about colour, from the strongest to the weakest. */
export type ColorWishes = { flag: boolean | undefined; environment: NodeJS.ProcessEnv; isTerminal: boolean }

/** Colour only where a person looks, unless the command line or the environment says otherwise. */
export function wantsColor({ flag, environment, isTerminal }: ColorWishes): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment
  if (flag !== undefined) return flag
  if (NO_COLOR) return false
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false"
  return isTerminal && TERM !== "dumb"
}

export const colors = picocolors.createColors(
  wantsColor({
    flag: takeOutputFlags(process.argv).color,
    environment: process.env,
    isTerminal: process.stdout.isTTY === true,
  }),
)
