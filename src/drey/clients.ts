import { resolve } from "node:path"
import type { FileResult } from "../clients/connect/connect-files.ts"
import type { ConnectOptions, ConnectPlan } from "../clients/connect/connect-plan.ts"
import type { RunningProgram } from "../clients/connect/connections.ts"
import type { DisconnectOptions, DisconnectPlan } from "../clients/connect/disconnect-plan.ts"
import type { Check } from "../formats/check.ts"
import type { Project } from "../project.ts"

/** Connects coding agents to Drey: a plan first, which can be shown, then the change. */
export type Clients = {
  /**
   * Throws when this Drey is a temporary copy (npx): clients would not find it later.
   * @example await drey.clients.requireLasting()
   */
  requireLasting(): Promise<void>
  /** @example const plan = await drey.clients.planConnect({ clients: ["claude-code"], scope: "project" }) */
  planConnect(options: ConnectOptions): Promise<ConnectPlan>
  /** @example await drey.clients.connect(plan) */
  connect(plan: ConnectPlan): Promise<FileResult[]>
  /** @example const plan = await drey.clients.planDisconnect({ clients: ["claude-code"] }) */
  planDisconnect(options: DisconnectOptions): Promise<DisconnectPlan>
  /** @example await drey.clients.disconnect(plan) */
  disconnect(plan: DisconnectPlan): Promise<FileResult[]>
  /** @example const checks = await drey.clients.check() */
  check(): Promise<Check[]>
  /**
   * The ids of entries that a client already reads from AGENTS.md, unless they changed since it was written.
   * @example const seen = await drey.clients.readFromContextFiles("codex")
   */
  readFromContextFiles(client: string): Promise<string[]>
  /**
   * The same for another copy of Drey than the running one.
   * @example await drey.clients.as({ node, script, version }).check()
   */
  as(program: RunningProgram): Clients
}

export function openClients(project: Project, program: RunningProgram = runningProgram()): Clients {
  const connections = async () => {
    const { openConnections } = await import("../clients/connect/connections.ts")
    const { renderAlwaysLoaded } = await import("../recall/context/session-context.ts")
    const { folders } = project.store()
    const rules = async (lead: string, budget: number) =>
      folders.length === 0
        ? lead
        : (await (await project.recall()).ask((parts) => renderAlwaysLoaded(parts, lead, budget))).answer
    const { machine, home, root } = project
    return openConnections({ machine, home, root, teamFolder: folders[0]?.path, rules }, program)
  }
  return {
    requireLasting: async () => (await connections()).requireLasting(),
    planConnect: async (options) => (await connections()).planConnect(options),
    connect: async (plan) => (await connections()).connect(plan),
    planDisconnect: async (options) => (await connections()).planDisconnect(options),
    disconnect: async (plan) => (await connections()).disconnect(plan),
    check: async () => (await connections()).check(),
    readFromContextFiles: async (client) => (await connections()).toldByContextFiles(client),
    as: (other) => openClients(project, other),
  }
}

function runningProgram(): RunningProgram {
  return { node: process.execPath, script: resolve(process.argv[1] ?? ""), version: "0.0.0" }
}
