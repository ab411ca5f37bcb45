/** A record in a file; `value` is undefined if it is not a JSON object. */
export type JsonRecord = { value: Record<string, unknown> | undefined; line: number }

/** One record per line that is not blank, readable or not. */
export function readJsonLines(text: string): JsonRecord[] {
  return text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .map((line, at) => ({ line, number: at + 1 }))
    .filter(({ line }) => line.trim() !== "")
    .map(({ line, number }) => ({ value: parseObject(line), line: number }))
}

/** Parses a JSON object; undefined for any other text. */
export function parseObject(text: string): JsonRecord["value"] {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined // reported as broken, by its line only
  }
}
