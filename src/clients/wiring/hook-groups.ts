import type { ClientId } from "../client.ts"
import type { DreyCommand, JsonPart } from "../wiring.ts"
import { hookLine, hookMark } from "./hook-line.ts"

/** A client's hook that Drey answers; `timeout` in the client's unit, `tools` if only some tools trigger it. */
export type Hook = { event: string; timeout: number; tools?: readonly string[] }

/** Hooks in Claude Code's format, which others adopted: for each event a list of groups, each with a matcher. */
export function hookGroups(client: ClientId, command: DreyCommand, hooks: readonly Hook[]): JsonPart[] {
  return hooks.map(({ event, timeout, tools }) => ({
    kind: "item",
    path: ["hooks", event],
    mark: hookMark(client, event),
    value: {
      ...(tools === undefined ? {} : { matcher: tools.join("|") }),
      hooks: [{ type: "command", command: hookLine(command, client, event), timeout }],
    },
  }))
}
