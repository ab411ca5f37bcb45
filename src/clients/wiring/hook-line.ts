import type { ClientId } from "../client.ts"
import type { DreyCommand } from "../wiring.ts"

/**
 * The command line of a hook. It always exits with 0: in a clone on a machine without Drey the client must not be
 * blocked. The line works in a POSIX shell and in PowerShell, as long as Drey is called by a plain name.
 */
export function hookLine(command: DreyCommand, client: ClientId, event: string): string {
  return `${[command.command, ...command.args].map(quoted).join(" ")} ${hookMark(client, event)}; exit 0`
}

/** The same for a field that only PowerShell reads. */
export function powershellLine(command: DreyCommand, client: ClientId, event: string): string {
  const line = hookLine(command, client, event)
  return line.startsWith("'") ? `& ${line.replaceAll("'\\''", "''")}` : line
}

/** The text that identifies Drey's entries, however Drey is called in them. */
export function hookMark(client: ClientId, event: string): string {
  return `hook ${client} ${event}`
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
