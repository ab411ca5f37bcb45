import { clip, toOneLine } from "../memory-text.ts"

const longest = 160

/** The first line of a text that says something; with the items of the list that it announces, as far as they fit. */
export function tellingLine(text: string): string {
  const lines = text.split(/\r?\n/).map(toOneLine)
  const first = lines.findIndex((line) => line !== "")
  const label = lines[first] ?? ""
  if (!label.endsWith(":")) return clip(label, longest)
  const items = lines.slice(first + 1).filter((line) => line !== "")
  const end = items.findIndex((line) => !bullet.test(line))
  let told = ""
  for (const item of items.slice(0, end === -1 ? undefined : end).map((line) => line.replace(bullet, ""))) {
    const longer = told === "" ? `${label} ${item}` : `${told}; ${item}`
    if (longer.length > longest) break
    told = longer
  }
  return clip(told || [label, items[0] ?? ""].join(" ").trim(), longest)
}

const bullet = /^(?:[-*+•]|\d{1,3}[.)]) /
