const barWidth = 30
const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
const heights = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

/** Rows of `label  bar  text`, the longest bar for the largest value. */
export function barChart(rows: readonly { label: string; value: number; text: string }[]): string[] {
  const widest = Math.max(0, ...rows.map(({ label }) => widthOf(label)))
  const largest = Math.max(1, ...rows.map(({ value }) => value))
  return rows.map(({ label, value, text }) => {
    const bar = drawBar(value / largest)
    return `${label}${" ".repeat(widest - widthOf(label))}  ${bar}${bar === "" ? "" : " "}${text}`
  })
}

/** One character for each value, as high as the value is large: the shape of a curve on one line. */
export function curve(values: readonly number[]): string {
  const lowest = Math.min(...values)
  const range = Math.max(...values) - lowest
  return values
    .map((value) => heights[range === 0 ? 0 : Math.round(((value - lowest) / range) * (heights.length - 1))] ?? "")
    .join("")
}

/** Text in columns: the first to the left, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, column) => Math.max(widthOf(title), ...rows.map((row) => widthOf(row[column] ?? ""))))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const gap = " ".repeat((widths[column] ?? 0) - widthOf(cell))
        return column === 0 ? cell + gap : gap + cell
      })
      .join("  ")
      .trimEnd()
  return [line(head), ...rows.map(line)]
}

function drawBar(part: number): string {
  const steps = Math.round(part * barWidth * 8)
  return "█".repeat(Math.floor(steps / 8)) + (eighths[steps % 8] ?? "")
}

function widthOf(text: string): number {
  return [...text].length
}
