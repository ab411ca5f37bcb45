import { type JSONPath, visit } from "jsonc-parser"
import { DreyError } from "../../errors.ts"
import { type JsonRecord, parseObject } from "./read-json-lines.ts"

/** `brokenFrom`: the line where the document stops being JSON; the records are those before it. */
export type JsonList = { records: JsonRecord[]; brokenFrom: number | undefined }

/** The parser is recursive; no export needs a tenth of this depth. */
const deepest = 200

/**
 * The document's list, or the list under the first of these names, each item with its line. Undefined without such a
 * list.
 */
export function readJsonList(path: string, text: string, names: readonly string[]): JsonList | undefined {
  const json = text.replace(/^\uFEFF/, " ") // one character for one, so that offsets stay the same
  const lists = new Map<string, JsonRecord[]>()
  let open: { records: JsonRecord[]; depth: number } | undefined
  let depth = 0
  let begun = { offset: 0, line: 0 }
  let brokenFrom: number | undefined
  const begin = (offset: number, line: number) => {
    if (depth === open?.depth) begun = { offset, line }
    if (++depth > deepest) throw new DreyError(`${path}:${line + 1} is nested too deeply`)
  }
  const add = (value: JsonRecord["value"], line: number) => {
    if (depth === open?.depth && brokenFrom === undefined) open.records.push({ value, line: line + 1 })
  }
  visit(
    json,
    {
      onObjectBegin: (offset, _length, line) => begin(offset, line),
      onArrayBegin(offset, _length, line, _character, place) {
        const name = depth < 2 ? nameOfList(place(), names) : undefined
        if (name !== undefined && brokenFrom === undefined) {
          open = { records: [], depth: depth + 1 }
          lists.set(name, open.records)
        }
        begin(offset, line)
      },
      onObjectEnd(offset, length) {
        depth--
        if (length > 0 && depth === open?.depth) add(parseObject(json.slice(begun.offset, offset + 1)), begun.line)
      },
      onArrayEnd(_offset, length) {
        depth--
        if (length > 0) add(undefined, begun.line)
        if (open && depth < open.depth) open = undefined
      },
      onLiteralValue: (_value, _offset, _length, line) => add(undefined, line),
      onError(_code, _offset, _length, line) {
        brokenFrom ??= line + 1
      },
    },
    { disallowComments: true },
  )
  const name = ["", ...names].find((each) => lists.has(each))
  return name === undefined ? undefined : { records: lists.get(name) ?? [], brokenFrom }
}

/** Empty for the document itself. */
function nameOfList([first, ...below]: JSONPath, names: readonly string[]): string | undefined {
  if (first === undefined) return ""
  return typeof first === "string" && below.length === 0 && names.includes(first) ? first : undefined
}
