import { findJsonBreak } from "../disk/parse-json.ts"
import { type Diagnostic, diagnostic } from "../formats/diagnostics.ts"
import { readEntryJson } from "../formats/entry-schema.ts"

/** Checks a JSON document with one entry or a list of entries. */
export function validateJsonText(text: string): { entries: number; diagnostics: Diagnostic[] } {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    const { line, column } = findJsonBreak(text) // the parser's message would quote the file
    return {
      entries: 0,
      diagnostics: [diagnostic("invalid-field", line, `Invalid JSON at column ${column}.`)],
    }
  }
  const values = Array.isArray(document) ? document : [document]
  const diagnostics = values.flatMap((value, index) =>
    readEntryJson(value).diagnostics.map((each) => ({
      ...each,
      message: values.length > 1 ? `Entry ${index + 1}: ${each.message}` : each.message,
    })),
  )
  return { entries: values.length, diagnostics }
}
