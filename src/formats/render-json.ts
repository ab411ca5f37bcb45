const width = 120

export type JsonLayout = {
  /** One step of indentation. */
  unit?: string
  /** What the line begins with on which it will stand. */
  indent?: string
  /** So many levels are broken up even if they would fit on a line. */
  open?: number
}

/** JSON as a person lays it out: what fits on a line stays on one, the rest is broken up. */
export function renderJson(value: unknown, { unit = "  ", indent = "", open: levels = 0 }: JsonLayout = {}): string {
  const line = onOneLine(value)
  if (typeof value !== "object" || value === null || (levels <= 0 && indent.length + line.length <= width)) return line
  const inner = `${indent}${unit}`
  const layout = { unit, indent: inner, open: levels - 1 }
  const items = Array.isArray(value)
    ? value.map((item) => renderJson(item, layout))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${renderJson(item, layout)}`)
  const [open, close] = Array.isArray(value) ? "[]" : "{}"
  return `${open}\n${items.map((item) => `${inner}${item}`).join(",\n")}\n${indent}${close}`
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const pairs = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${onOneLine(inner)}`)
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`
}
