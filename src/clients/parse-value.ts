import { type JsonObject, parseObject } from "./json-value.ts"

/** What a row of an editor's database holds: JSON, kept as text or as bytes. */
export function parseValue(value: unknown): JsonObject | undefined {
  return parseObject(value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : value)
}
