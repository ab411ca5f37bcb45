import { isAbsolute } from "node:path"
import { z } from "zod"
import { isRecord } from "../formats/objects.ts"
import type { MemoryKind, MemoryStatus, MemoryTier } from "../memories/memory.ts"
import { type Params, RpcError, rpcCodes } from "./protocol.ts"

// This module loads zod: only the service imports it, not the client that hooks use.

/** Parses a request's parameters; the error names the first that is wrong. Unknown ones are ignored. */
export function parseParams<Schema extends z.ZodType>(schema: Schema, params: Params): z.output<Schema> {
  const given = withoutNulls(params)
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const { path, message } = parsed.error.issues[0] as z.core.$ZodIssue
  const isMissing = path.reduce<unknown>((value, key) => (value as Params)?.[key as string], given) === undefined
  throw new RpcError(rpcCodes.badParams, `${nameOf(path)} ${isMissing ? "is missing:" : "must be"} ${message}`)
}

/** `null` means not given, in nested objects too. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isRecord(value)) return value
  const pairs = Object.entries(value).filter(([, each]) => each !== null)
  return Object.fromEntries(pairs.map(([name, each]) => [name, withoutNulls(each)]))
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.map((key, at) => (typeof key === "number" ? `[${key}]` : `${at > 0 ? "." : ""}${String(key)}`)).join("")
}

// The error of each schema says what it must be.
export const text = z.string("a text")
export const texts = z.array(text, "a list of texts")
export const flag = z.boolean("true or false")
export const projectRoot = text.refine(isAbsolute, "an absolute path") // ours is not the caller's working directory

export function count(least: number, most: number) {
  const what = `a whole number from ${least} to ${most}`
  return z.int(what).min(least, what).max(most, what)
}

export function word<const Words extends readonly string[]>(words: Words) {
  return z.enum(words, `one of ${words.join(", ")}`)
}

export function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape, "an object")
}

export const kind = word(wordsOf<MemoryKind>({ preference: 1, invariant: 1, pattern: 1, guard: 1, note: 1 }))
export const tier = word(wordsOf<MemoryTier>({ short_term: 1, long_term: 1, emergency: 1 }))
export const status = word(wordsOf<MemoryStatus>({ provisional: 1, active: 1, deprecated: 1 }))

/** The types are known here, not the lists that they are made of; a record of them lacks none. */
function wordsOf<Word extends string>(words: Record<Word, 1>): Word[] {
  return Object.keys(words) as Word[]
}

const mostMemories = 200

/** Memories in a request. Their ids appear in an unquoted line of a context, so they must not be able to contain text. */
export const memories = z
  .array(
    fields({
      id: text.regex(/^[\w:.-]{1,64}$/, "a short name without spaces"),
      kind,
      tier: tier.default("short_term"),
      key: text.optional(),
      text,
    }).transform(({ key, ...memory }) => ({ ...memory, key })),
    "a list of objects",
  )
  .max(mostMemories, `a list of at most ${mostMemories} memories`)
