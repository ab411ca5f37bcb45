/**
 * The line, from 1, on which a TOML text sets a key or, when it stands inside an inline table, the table that holds it. Parsers keep
 * no places for keys; this one reads headers and the beginnings of lines, which is all that a file of settings has.
 */
export function lineOfKey(source: string, key: readonly string[]): number {
  let header: string[] = []
  let best = { line: 1, common: 0 }
  for (const [index, line] of source.split("\n").entries()) {
    const opened = headerOf(line)
    if (opened) header = opened
    const set = opened ?? keyOf(line)
    if (!set) continue
    const common = commonLength(opened ?? [...header, ...set], key)
    if (common > best.common) best = { line: index + 1, common }
  }
  return best.line
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const differs = one.findIndex((part, at) => part !== other[at])
  return differs === -1 ? one.length : differs
}

const part = `(?:[\\w-]{1,100}|"[^"]{0,200}"|'[^']{0,200}')`
const dotted = `${part}(?:[ \\t]{0,9}\\.[ \\t]{0,9}${part}){0,9}`
const header = new RegExp(`^[ \\t]{0,80}\\[{1,2}[ \\t]{0,9}(${dotted})[ \\t]{0,9}\\]`)
const assignment = new RegExp(`^[ \\t]{0,80}(${dotted})[ \\t]{0,80}=`)

function headerOf(line: string): string[] | undefined {
  return partsOf(header.exec(line)?.[1])
}

function keyOf(line: string): string[] | undefined {
  return partsOf(assignment.exec(line)?.[1])
}

function partsOf(text: string | undefined): string[] | undefined {
  return text?.match(new RegExp(part, "g"))?.map((found) => found.replace(/^["']|["']$/g, ""))
}
