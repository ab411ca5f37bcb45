import type { Check } from "../../formats/check.ts"

import { allWirings } from "../all-clients.ts"
import { applyConnect, applyDisconnect, type FileResult } from "./connect-files.ts"
import { type ConnectOptions, type ConnectParts, type ConnectPlan, planConnect } from "./connect-plan.ts"
import { checkClients, checkContextFiles } from "./connection-checks.ts"
import { blockReadBy, budgetOf, contextFileLead, entriesInBoth } from "./context-files.ts"
import { type DisconnectOptions, type DisconnectPlan, planDisconnect } from "./disconnect-plan.ts"
import { findDreyCommand, requireInstalledCommand } from "./drey-command.ts"

/** Connects and disconnects coding agents: first a plan for review, then the changes. */
export type Connections = {
  /** Throws if a runner such as npx installed this copy of Drey for one command: no client could start it later. */
  requireLasting(): void
  planConnect(options: ConnectOptions): Promise<ConnectPlan>
  connect(plan: ConnectPlan): Promise<FileResult[]>
  planDisconnect(options: DisconnectOptions): DisconnectPlan
  disconnect(plan: DisconnectPlan): Promise<FileResult[]>
  check(): Promise<Check[]>
  /** The ids of entries that a client already reads in AGENTS.md; entries edited since are not included. */
  toldByContextFiles(client: string): Promise<string[]>
}

/** The running program, for clients that cannot start Drey by its name. */
export type RunningProgram = { node: string; script: string; version: string }

export function openConnections(
  given: Omit<ConnectParts, "command" | "version">,
  program: RunningProgram,
): Connections {
  const command = findDreyCommand(given.machine, program)
  const parts: ConnectParts = { ...given, command, version: program.version }
  return {
    planConnect: (options) => planConnect(parts, options),
    requireLasting: () => requireInstalledCommand(command),
    async connect(plan) {
      requireInstalledCommand(plan.command)
      return applyConnect(parts.home, plan)
    },
    planDisconnect: (options) => planDisconnect(parts, options),
    disconnect: (plan) => applyDisconnect(parts.home, plan),
    check: async () => [...checkClients(parts), ...(await checkContextFiles(parts))],
    async toldByContextFiles(client) {
      const wiring = allWirings.find(({ id }) => id === client)
      const block = wiring && blockReadBy(wiring, { ...given.machine, root: given.root, scope: "project" })
      if (block === undefined) return []
      const budget = budgetOf(block)
      return entriesInBoth(block, await parts.rules(contextFileLead(budget), budget))
    },
  }
}
