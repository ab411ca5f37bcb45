import { z } from "zod"

// What the fields of session files are made of. The words of each say what to write; the validator puts them into its messages.
// Somebody who writes YAML by hand leaves `key:` empty: where a field may be missing, it may be null.

export const text = z.string("a text")
export const name = z.string("a text").min(1, "a text that is not empty")
/** Whether it is one is for the validator, which only warns: a wrong time must not lock the file. */
export const moment = z.string('a time such as "2026-01-23T10:31:05.000Z"').meta({ format: "date-time" })
export const count = wholeNumber(0)
/** Of the plan, counted from 1. */
export const step = wholeNumber(1)
export const flag = z.boolean("true or false")
/** Which version a file has is for the validator. */
export const version = z.union([z.string(), z.number()], '"1"').transform(String)

export function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.looseObject(shape, "a map of fields")
}

export function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, `one of ${values.join(", ")}`)
}

/** Other values are kept, with a warning. */
export function oneOfOrOther(known: readonly string[]) {
  return z
    .string(`one of ${known.join(", ")}`)
    .min(1, `one of ${known.join(", ")}`)
    .meta({ examples: [...known] })
}

export function optional<Kind extends z.ZodType>(kind: Kind) {
  return kind
    .nullish()
    .transform((value) => value ?? undefined)
    .optional()
}

export function withDefault<Kind extends z.ZodType>(kind: Kind, fallback: z.output<Kind>) {
  return kind
    .nullish()
    .meta({ default: fallback })
    .transform((value): z.output<Kind> => value ?? fallback)
}

export function listOf<Item extends z.ZodType>(item: Item) {
  return z
    .array(item, 'a list, each item on a line that begins with "- "')
    .nullish()
    .transform((list) => list ?? [])
}

export const texts = listOf(text)
/** A list whose items somebody else looks at. */
export const anyList = listOf(z.unknown())

export function numberBetween(least: number, most: number, words = `a number from ${least} to ${most}`) {
  return z.number(words).min(least, words).max(most, words)
}

function wholeNumber(least: number) {
  const words = `a whole number, ${least} or more`
  return z.number(words).int(words).min(least, words)
}
