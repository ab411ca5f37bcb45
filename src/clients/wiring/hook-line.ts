import type { ClientId } from "../client.ts"
import type { DreyCommand } from "../wiring.ts"

/**
 * What a client runs at one of its hooks. It always ends well: in a clone on a machine without Drey the client must not be held up. The line
 * means the same to a POSIX shell and to PowerShell, as long as Drey is called by a plain name.
 */
export function hookLine(command: DreyCommand, client: ClientId, event: string): string {
  return `${[command.command, ...command.args].map(quoted).join(" ")} ${hookMark(client, event)}; exit 0`
}

/** The same for a field that only PowerShell reads. */
export function powershellLine(command: DreyCommand, client: ClientId, event: string): string {
  const line = hookLine(command, client, event)
  return line.startsWith("'") ? `& ${line.replaceAll("'\\''", "''")}` : line
}

/** The words by which an entry of Drey's is known, however Drey is called in it. */
export function hookMark(client: ClientId, event: string): string {
  return `hook ${client} ${event}`
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
