/** Breaks longer lines at spaces. What follows is indented, and stays a quotation where the line is one; no width, no breaks. */
export function wrapLines(text: string, width: number | undefined): string {
  if (width === undefined) return text
  return text
    .split("\n")
    .flatMap((line) => wrapLine(line, width))
    .join("\n")
}

function wrapLine(line: string, width: number): string[] {
  const beginning = line.startsWith("> ") ? "> " : `${/^ */.exec(line)?.[0]}    `
  const rows: string[] = []
  let row = line
  while (row.length > width) {
    const space = row.lastIndexOf(" ", width)
    const at = space > beginning.length ? space : row.indexOf(" ", width)
    if (at === -1) break
    rows.push(row.slice(0, at).trimEnd())
    row = beginning + row.slice(at).trimStart()
  }
  return [...rows, row]
}
