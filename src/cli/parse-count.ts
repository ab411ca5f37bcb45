import { DreyError } from "../errors.ts"

/** Parses an option's whole number. */
export function parseCount(text: string, what: string, least: number, most: number): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= least && number <= most) return number
  throw new DreyError(`"${text}" is not a number of ${what}`, {
    hint: `Write a whole number from ${least} to ${most}.`,
  })
}
