/**
 * Omits undefined fields, for types whose optional fields do not take `undefined`:
 *
 *     { id, ...omitUndefined({ title, author }) }
 */
export function omitUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const pairs = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(pairs) as ReturnType<typeof omitUndefined<Fields>>
}

/** An object that is neither a list nor null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
