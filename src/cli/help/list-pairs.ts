const width = 76

/** Names and meanings in two columns, wrapped. */
export function listPairs(pairs: readonly (readonly [string, string])[]): string {
  const column = Math.min(28, Math.max(...pairs.map(([name]) => name.length)))
  return pairs.flatMap(([name, meaning]) => listPair(name, meaning, column)).join("\n")
}

function listPair(name: string, meaning: string, column: number): string[] {
  const lines = wrap(meaning, width - column - 4)
  const indent = " ".repeat(column + 4)
  if (name.length > column) return [`  ${name}`, ...lines.map((line) => `${indent}${line}`)]
  return lines.map((line, at) => (at === 0 ? `  ${name.padEnd(column)}  ${line}` : `${indent}${line}`))
}

function wrap(text: string, length: number): string[] {
  const lines: string[] = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && `${last} ${word}`.length <= length) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
