import { type Diagnostic, diagnostic } from "../formats/diagnostics.ts"
import { readEntryJson } from "../formats/entry-schema.ts"

/** Checks a JSON document that holds one entry, or a list of them. */
export function validateJsonText(text: string): { entries: number; diagnostics: Diagnostic[] } {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    return {
      entries: 0,
      diagnostics: [diagnostic("invalid-field", 1, `The file is not JSON: ${(error as Error).message}`)],
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
