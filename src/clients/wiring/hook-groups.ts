import type { ClientId } from "../client.ts"
import type { DreyCommand, JsonPart } from "../wiring.ts"
import { hookLine, hookMark } from "./hook-line.ts"

/** One of a client's hooks that Drey answers; `timeout` in the client's own unit, `tools` where it is asked for some of them only. */
export type Hook = { event: string; timeout: number; tools?: readonly string[] }

/** Hooks in the form that Claude Code made and others took over: for each event a list of groups, each with a matcher. */
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
