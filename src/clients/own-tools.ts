const ourServer = "drey"

/**
 * Whether a tool is one of Drey's own, in any client's naming of MCP tools: `mcp__drey__x`, `mcp_drey_x`, `drey-x`,
 * `drey_x`, `drey__x`, a plugin's `mcp__plugin_p_drey__x`, or the plain name with its server or namespace.
 */
export function isOwnTool(name: string, server?: string): boolean {
  return isOurs.test(name) || (server !== undefined && (server === ourServer || isOurs.test(`${server}__`)))
}

const isOurs = new RegExp(`^(?:mcp__?(?:plugin_[\\w.-]{1,64}_)?)?${ourServer}[_-]`)

/** Whether a command line only queries Drey: its output was in memory before. */
export function isOwnCommand(command: string): boolean {
  const match = ownCommand.exec(command)
  return match !== null && !/&&|[;\n]/.test(command.slice(match[0].length))
}

const ownCommand = new RegExp(
  `^\\s{0,20}(?:cd\\s[^;&|\\n]{1,300}&&\\s{0,20})?(?:npx\\s{1,9}(?:-[\\w-]{1,20}\\s{1,9}){0,3})?${ourServer}(?=\\s|$)`,
)
