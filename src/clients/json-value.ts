export type JsonObject = Record<string, unknown>

/** The value of a foreign record if it has the expected type, otherwise undefined: records may have any shape. */
export function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}

export function objectsOf(value: unknown): JsonObject[] {
  if (!Array.isArray(value)) return []
  return value.filter((each): each is JsonObject => objectOf(each) !== undefined)
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : []
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}

/** JSON within JSON, as clients store arguments and carried state; undefined for anything else. */
export function parseObject(text: unknown): JsonObject | undefined {
  if (typeof text !== "string") return objectOf(text)
  if (!text.trimStart().startsWith("{")) return undefined
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return undefined // truncated or hand-written; the caller uses the text as it is
  }
}

/** A time as ISO in UTC; "" if invalid. */
export function isoTime(value: unknown): string {
  if (typeof value === "string" && isIso.test(value)) return value
  if (typeof value !== "string" && typeof value !== "number") return ""
  const moment = new Date(value)
  return Number.isNaN(moment.getTime()) ? "" : moment.toISOString()
}

const isIso = /^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z$/
