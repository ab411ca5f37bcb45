/** A record as it stands in a file; `value` is undefined where no JSON object can be read. */
export type JsonRecord = { value: Record<string, unknown> | undefined; line: number }

/** One record for each line that is not blank, whether it can be read or not. */
export function readJsonLines(text: string): JsonRecord[] {
  return text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .map((line, at) => ({ line, number: at + 1 }))
    .filter(({ line }) => line.trim() !== "")
    .map(({ line, number }) => ({ value: parseObject(line), line: number }))
}

/** The object that a text is; undefined for any other text. */
export function parseObject(text: string): JsonRecord["value"] {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined // told as broken, by its place alone
  }
}
