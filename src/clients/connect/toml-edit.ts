import { isDeepStrictEqual } from "node:util"
import { parse, stringify, TomlError } from "smol-toml"
import { DreyError } from "../../errors.ts"
import { isRecord } from "../../formats/objects.ts"
import type { TomlTable } from "../client-wiring.ts"
import type { Presence } from "./json-edit.ts"

export function findTomlTable(text: string, table: TomlTable, name: string): Presence {
  const value = valueAt(parseToml(text, name), pathOf(table))
  if (value === undefined) return "absent"
  return isDeepStrictEqual(plain(value), plain(table.values)) ? "same" : "different"
}

export function readTomlTable(text: string, table: TomlTable, name: string): unknown {
  return valueAt(parseToml(text, name), pathOf(table))
}

/** Appends a table to a file, or replaces the current one; every other byte is kept. */
export function addTomlTable(text: string, table: TomlTable, name: string): string {
  const presence = findTomlTable(text, table, name)
  if (presence === "same") return text
  const base = presence === "absent" ? text : removeTomlTable(text, table, name)
  const lineEnd = /\r?\n/.exec(base)?.[0] ?? "\n"
  const body = stringify(table.values).trim().replaceAll("\n", lineEnd)
  const block = `[${table.name}]${lineEnd}${body}`
  const isBlank = base.replace(/^\uFEFF/, "").trim() === ""
  // A file without a final line break keeps it that way, so that removing the table restores the original bytes.
  const added =
    isBlank || base.endsWith("\n") ? `${isBlank ? "" : lineEnd}${block}${lineEnd}` : `${lineEnd}${lineEnd}${block}`
  return checked(base, base + added, table, name)
}

/** Removes a table and its sub-tables. */
export function removeTomlTable(text: string, table: TomlTable, name: string): string {
  if (findTomlTable(text, table, name) === "absent") return text
  const path = pathOf(table)
  const spans = tablesIn(text).filter(({ key }) => path.every((part, at) => key[at] === part))
  let rest = text
  for (const { start, end } of spans.reverse()) rest = cutLines(rest, start, end)
  return checked(text, rest, table, name)
}

/** Verifies that only this table changed; if the edit changed anything else, the file is not changed. */
function checked(before: string, after: string, table: TomlTable, name: string): string {
  const path = pathOf(table)
  const rest = (text: string) => without(parseToml(text, name), path)
  let isSame = false
  try {
    isSame = isDeepStrictEqual(rest(before), rest(after)) && before !== after
  } catch (error) {
    if (!(error instanceof DreyError)) throw error // the result is not TOML: same error
  }
  if (isSame) return after
  throw new DreyError(`${name} sets ${table.name} in a form that Drey cannot edit, so the file is not changed`, {
    hint: `Write it as a separate table: [${table.name}].`,
  })
}

/** The lines and one empty line before them; comments after them are kept. */
function cutLines(text: string, start: number, end: number): string {
  const head = text.slice(0, start)
  const tail = text.slice(end)
  if (tail === "") return head.replace(/\r?\n\r?\n$/, "")
  const lineEnd = /^\r?\n/.exec(tail)?.[0] ?? ""
  return head.replace(/(\n|^)\r?\n$/, "$1") + tail.slice(lineEnd.length)
}

type TableSpan = { key: string[]; start: number; end: number }

const token = /"""(?:\\[\s\S]|[^\\])*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*|[[\]{}]|[^\s"'#[\]{}]+/g

/** Where the tables of a document start and where their last line ends. */
function tablesIn(text: string): TableSpan[] {
  const tables: TableSpan[] = []
  let depth = 0
  for (const match of text.matchAll(token)) {
    const [sign] = match
    const isFirst = /(?:^|\n)[ \t\uFEFF]*$/.test(text.slice(Math.max(0, match.index - 200), match.index))
    if (sign.startsWith("#")) continue
    if (sign === "[" && depth === 0 && isFirst) {
      const header = /^[^\n#]*\]/.exec(text.slice(match.index))?.[0] ?? ""
      tables.push({ key: keyOf(header), start: match.index, end: match.index })
    }
    if (sign === "[" || sign === "{") depth++
    if (sign === "]" || sign === "}") depth--
    const table = tables.at(-1)
    if (table) table.end = match.index + sign.length
  }
  return tables.map((table) => ({ ...table, end: endOfLine(text, table.end) }))
}

function endOfLine(text: string, from: number): number {
  return from + (/^[^\r\n]*/.exec(text.slice(from))?.[0].length ?? 0)
}

function keyOf(header: string): string[] {
  const key: string[] = []
  try {
    let value: unknown = parse(header)
    for (;;) {
      if (Array.isArray(value)) value = value[0]
      const [entry] = Object.entries(value as object)
      if (!entry) return key
      key.push(entry[0])
      value = entry[1]
    }
  } catch {
    return [] // not a header on its own: ignored here
  }
}

function parseToml(text: string, name: string): Record<string, unknown> {
  try {
    return parse(text.replace(/^\uFEFF/, ""), { integersAsBigInt: true })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw new DreyError(`${name}:${error.line}:${error.column} is not valid TOML, so the file is not changed`)
  }
}

function pathOf({ name }: TomlTable): string[] {
  return name.split(".")
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value)
}

/** A copy without the value at the path, and without tables that held only that. */
function without(value: Record<string, unknown>, path: readonly string[]): Record<string, unknown> {
  const [key, ...below] = path
  if (key === undefined) return value
  const { [key]: inner, ...others } = value
  if (below.length > 0 && inner !== undefined && !isRecord(inner)) return value // an array of tables has no such path
  const rest = below.length > 0 && isRecord(inner) ? without(inner, below) : {}
  return Object.keys(rest).length > 0 ? { ...others, [key]: rest } : others
}

/** The same value without the parser's prototypes. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? Number(inner) : inner)))
}
