import { type JsonObject, parseObject } from "./json-value.ts"

/** A value of an editor's database: JSON, stored as text or as bytes. */
export function parseValue(value: unknown): JsonObject | undefined {
  return parseObject(value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : value)
}
