import { rosterNamesOf } from "./roster.ts"

/** What `team.md` says that each member does: the column `Role` of its tables, by name in lower case. */
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
