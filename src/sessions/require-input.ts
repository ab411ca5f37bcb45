import { DreyError } from "../errors.ts"
import { didYouMean } from "../formats/did-you-mean.ts"
import { withhold } from "../governance/withhold.ts"

/** Throws for a text that says nothing. */
export function requireText(field: string, text: unknown): void {
  if (typeof text === "string" && text.trim() !== "") return
  throw new DreyError(`${field} is missing`, { hint: `Set ${field} to a non-empty text. Nothing was written.` })
}

/** Throws for a value that is none of these; a missing one is none of its business. */
export function requireOneOf(field: string, value: string | undefined, known: readonly string[]): void {
  if (value === undefined || known.includes(value)) return
  const meant = didYouMean(value, known)
  throw new DreyError(`${field} cannot be "${withhold(value)}"`, {
    hint: `${meant === undefined ? "" : `Did you mean "${meant}"? `}Write one of ${known.join(", ")}.`,
  })
}

/** Throws for what is no number of something; a missing one is none of its business. */
export function requireCount(field: string, value: number | undefined): void {
  if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return
  throw new DreyError(`${field} cannot be ${value}`, { hint: "Write a whole number, 1 or more." })
}
