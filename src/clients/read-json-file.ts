import { parseJson } from "../disk/parse-json.ts"
import { readTextFile } from "../disk/read-text-file.ts"
import { DreyError } from "../errors.ts"

/** The JSON of another program's file; undefined if it is missing or cannot be read. */
export function readJsonFile(path: string): unknown {
  try {
    return parseJson(readTextFile(path).text, path)
  } catch (error) {
    if (error instanceof DreyError) return undefined
    throw error
  }
}
