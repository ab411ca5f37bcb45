/** The team's names: agents, alumni, members; looked up in lower case, returned in their best spelling. */
export type Roster = ReadonlyMap<string, string>

/** The last spelling given for a name is kept, so hand in folder names first and the team table after them. */
export function makeRoster(names: Iterable<string>): Roster {
  const roster = new Map<string, string>()
  for (const name of names) {
    const clean = name.trim()
    if (clean.length >= 2 && !clean.startsWith("_")) roster.set(clean.toLowerCase(), clean)
  }
  return roster
}

/** Reads the member names out of the tables of `team.md`: the first cell of each row. */
export function rosterNamesOf(teamText: string): string[] {
  const names: string[] = []
  for (const line of teamText.split("\n")) {
    const cell = /^\s*\|\s*([^|]{1,60}?)\s*\|/.exec(line)?.[1]
    if (!cell || /^[-: ]+$/.test(cell) || /^(name|agent|member|role|alias)$/i.test(cell)) continue
    const name = cell
      .replace(/[*_`@]/g, "")
      .replace(/^[^\p{L}\p{N}]+/u, "")
      .replace(/\(.*\)$/, "")
      .trim()
    if (/^[\p{L}\p{N}][\p{L}\p{N}._ -]{1,30}$/u.test(name)) names.push(name)
  }
  return names
}

const word = /[\p{L}\p{N}][\p{L}\p{N}_-]*/gu

/**
 * The roster names that occur in a text as whole, capitalised words: many are ordinary words too ("vision", "link"). `Scribe` merges but
 * does not decide, so it counts only if no other name occurs.
 */
export function namesIn(text: string, roster: Roster): string[] {
  const found = new Map<string, string>()
  for (const [candidate] of text.matchAll(word)) {
    const name = lookUp(candidate, roster)
    // A folder's name is in lower case; the text knows better how it is spelt.
    if (name && isCapitalised(candidate)) found.set(name.toLowerCase(), isCapitalised(name) ? name : candidate)
  }
  if (found.size > 1) found.delete("scribe")
  return [...found.values()]
}

export function lookUp(name: string, roster: Roster): string | undefined {
  return roster.get(name.toLowerCase())
}

function isCapitalised(text: string): boolean {
  const first = text.charAt(0)
  return first !== first.toLowerCase() || /\d/.test(first)
}

/** Each member's role in `team.md`: the column `Role` of its tables, by name in lower case. */
export function memberRoles(teamText: string): Map<string, string> {
  const roles = new Map<string, string>()
  let column = -1
  for (const line of teamText.split("\n")) {
    const cells = /^\s*\|(.*)\|\s*$/
      .exec(line)?.[1]
      ?.split("|")
      .map((cell) => cell.trim())
    if (!cells) column = -1
    else if (cells.some((cell) => /^role$/i.test(cell))) column = cells.findIndex((cell) => /^role$/i.test(cell))
    const [name] = rosterNamesOf(line)
    const role = cells?.[column]?.replace(/[*_`]/g, "")
    if (name !== undefined && role && !/^[-: ]+$/.test(role)) roles.set(name.toLowerCase(), role)
  }
  return roles
}
