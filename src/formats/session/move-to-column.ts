import { countSpaces, lineKind } from "./yaml-lines.ts"

/** The lines of a list item, comments before it included, so that its dash comes to stand in another column. */
export function moveToColumn(source: string, column: number): string[] {
  const lines = source.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
  if (lines.at(-1) === "") lines.pop()
  const item = lines.find((line) => lineKind(line, 0).kind === "content") ?? ""
  const shift = column - countSpaces(item, 0)
  if (shift >= 0) return lines.map((line) => (line === "" ? "" : " ".repeat(shift) + line))
  return lines.map((line) => line.slice(Math.min(-shift, countSpaces(line, 0))))
}
