import { z } from "zod"
import { checkEntry, type Diagnostic, diagnostic } from "./diagnostics.ts"
import { type Entry, entryTypes, relatedTypes, scopePattern, titleLimit } from "./entry.ts"
import { normalizeEntry } from "./entry-writer.ts"
import { omitUndefined } from "./objects.ts"
import { parseTimestamp } from "./timestamp.ts"

// This module loads zod: import its types freely, its values only where JSON comes in or the schema goes out.

const text = z.string().min(1)
const list = z.array(text)
/** The proposal wrote lists as comma-separated text; both are read, arrays are written. */
const listOrText = z.union([list, z.string()])
const timestamp = z
  .string()
  .refine((value) => parseTimestamp(value) !== undefined, "is not an ISO 8601 timestamp with a timezone")
  .meta({ format: "date-time" })

/** The JSON form of an entry. The types, the validator and the published JSON Schema all come from here. */
export const entrySchema = z
  .looseObject({
    id: text.optional(),
    type: z.enum(entryTypes),
    timestamp,
    precision: z.enum(["second", "day"]).default("second").optional(),
    author: text,
    contributors: listOrText.optional(),
    title: text.max(titleLimit).optional(),
    summary: text.max(titleLimit),
    scope: z.string().regex(scopePattern).optional(),
    tags: listOrText.optional(),
    details: z.string().optional(),
    rationale: z.string().optional(),
    related: z.array(z.object({ type: text.meta({ examples: [...relatedTypes] }), identifier: text })).optional(),
    supersedes: listOrText.optional(),
    supersededBy: list.optional(),
    expires: timestamp.optional(),
    review: z.string().optional(),
    extensions: z.record(z.string(), z.string()).optional(),
  })
  .meta({ title: "Squad Entry Markdown (SEM)", description: "One entry of a team's memory in its JSON form." })

export type EntryJson = z.infer<typeof entrySchema>

/** The JSON Schema (draft 2020-12) of the JSON form, for validators in any language. */
export function entryJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(entrySchema, { io: "input", unrepresentable: "any" }) as Record<string, unknown>
}

export type EntryJsonReading =
  | { kind: "entry"; entry: Entry; diagnostics: Diagnostic[] }
  | { kind: "invalid"; diagnostics: Diagnostic[] }

/** Reads an entry from its JSON form; reports every problem, not only the first. */
export function readEntryJson(value: unknown): EntryJsonReading {
  const parsed = entrySchema.safeParse(value)
  if (!parsed.success) {
    const diagnostics = parsed.error.issues.map(({ path, message }) =>
      diagnostic("invalid-field", 1, `${path.join(".") || "entry"}: ${message}`),
    )
    return { kind: "invalid", diagnostics }
  }
  const { data } = parsed
  const entry = normalizeEntry({
    type: data.type,
    timestamp: parseTimestamp(data.timestamp) ?? data.timestamp,
    precision: data.precision ?? "second",
    author: data.author,
    summary: data.summary,
    contributors: toList(data.contributors),
    tags: toList(data.tags),
    supersedes: toList(data.supersedes),
    supersededBy: data.supersededBy ?? [],
    related: data.related ?? [],
    extensions: Object.entries(data.extensions ?? {}).map(([name, each]) => ({ name, value: each })),
    ...omitUndefined({ title: data.title, scope: data.scope, details: data.details, rationale: data.rationale }),
    ...(data.expires === undefined ? {} : { expires: parseTimestamp(data.expires) ?? data.expires }),
    ...omitUndefined({ id: data.id, review: data.review }),
  })
  return { kind: "entry", entry, diagnostics: checkEntry(entry) }
}

function toList(value: string[] | string | undefined): string[] {
  return typeof value === "string" ? value.split(",") : (value ?? [])
}
