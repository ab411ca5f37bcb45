import { dropUnseen } from "../formats/drop-unseen.ts"
import { colors } from "./colors.ts"

/** Every field with a value, lists and long texts on lines of their own. */
export function fieldLines(fields: Record<string, unknown>): string[] {
  const shown = Object.entries(fields)
    .map(([name, value]) => ({ name: dropUnseen(name), lines: valueLines(value), isBlock: typeof value === "object" }))
    .filter(({ lines }) => lines.length > 0)
  const isShort = ({ lines, isBlock }: (typeof shown)[number]) => lines.length === 1 && !isBlock
  const width = Math.max(...shown.filter(isShort).map(({ name }) => name.length), 0)
  return shown.flatMap((each) =>
    isShort(each)
      ? [fieldLine(each.name, each.lines.join(), width)]
      : [colors.dim(each.name), ...each.lines.map((line) => `  ${line}`)],
  )
}

function valueLines(value: unknown): string[] {
  if (value === undefined || value === null || value === "") return []
  if (Array.isArray(value)) return value.flatMap((item) => marked(isMap(item) ? [inline(item)] : valueLines(item)))
  if (isMap(value)) return fieldLines(value)
  return String(value).trimEnd().split("\n").map(dropUnseen)
}

function marked(lines: string[]): string[] {
  return lines.map((line, at) => `${at === 0 ? "- " : "  "}${line}`)
}

/** `src/report.ts, create`. */
function inline(map: Record<string, unknown>): string {
  const values = Object.values(map).filter((value) => value !== undefined && value !== null && value !== "")
  return values.map((value) => oneLine(typeof value === "object" ? JSON.stringify(value) : String(value))).join(", ")
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function fieldLine(name: string, value: string, width = 6): string {
  return `${colors.dim(name.padEnd(width))}  ${value}`
}

/** The first non-empty line. */
export function oneLine(text: string): string {
  return dropUnseen(text.split("\n").find((line) => line.trim() !== "") ?? "").trim()
}
