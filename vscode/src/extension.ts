import * as vscode from "vscode"
import { statusBar } from "./agents/status-bar.ts"
import type { Backend } from "./backend/backend.ts"
import { filesBackend } from "./backend/files-backend.ts"
import { registerCommands } from "./commands.ts"
import { codeHints } from "./editor/code-hints.ts"
import { entryCompletions, entryTokens, sessionCompletions } from "./editor/completions.ts"
import { diagnostics } from "./editor/diagnostics.ts"
import { entryFeatures } from "./editor/entries.ts"
import { entryDescriber } from "./editor/entry-hover.ts"
import { openTeams, type Teams } from "./teams.ts"
import { decisionsView } from "./views/decisions.ts"
import { inboxView } from "./views/inbox.ts"
import { learnedView } from "./views/learned.ts"
import { logView } from "./views/log.ts"
import { searchView } from "./views/search.ts"
import { teamView } from "./views/team.ts"
import { type StartedWorker, type WorkerClient, workerClient } from "./worker-client.ts"

/** What the browser and the desktop do differently. */
export type Host = {
  startWorker(context: vscode.ExtensionContext): Promise<StartedWorker>
  /** The name of the user as git has it. */
  userName(folder: vscode.WorkspaceFolder | undefined): Promise<string>
  /** Looks for `drey` and connects to it; the listener gets a backend, or undefined when there is none. */
  connect?(parts: HostParts): vscode.Disposable
}

export type HostParts = {
  context: vscode.ExtensionContext
  teams: Teams
  worker: WorkerClient
  log: vscode.LogOutputChannel
  files: Backend
  use(backend: Backend | undefined): void
  onDidChangeBackend: vscode.Event<Backend>
}

/** What tests can ask of the running extension. */
export type ExtensionApi = { activationMs: number; ready: Promise<void>; backend(): Backend["kind"] }

const entrySelector: vscode.DocumentFilter[] = [
  { language: "markdown", pattern: "**/{.squad,.ai-team}/{decisions*,decisions/**/*,agents/**/*}" },
]
const sessionSelector: vscode.DocumentFilter[] = [
  { language: "yaml", pattern: "**/{.squad,.ai-team,.rawko}/sessions/**" },
]

export function start(context: vscode.ExtensionContext, host: Host): ExtensionApi {
  const began = performance.now()
  const log = vscode.window.createOutputChannel("Drey", { log: true })
  const worker = workerClient(() => host.startWorker(context))
  const teams = openTeams(worker, log)
  const files = filesBackend(worker)
  const changed = new vscode.EventEmitter<Backend>()
  let current = files
  const backend = () => current
  const use = (next: Backend | undefined) => {
    current = next ?? files
    void vscode.commands.executeCommand("setContext", "drey.connected", current.kind === "drey")
    changed.fire(current)
  }
  const author = async () =>
    vscode.workspace.getConfiguration("drey").get("author", "") ||
    (await host.userName(vscode.workspace.workspaceFolders?.[0])) ||
    "unknown"

  const describe = entryDescriber(worker, backend)
  const views = {
    inbox: inboxView(teams, describe),
    decisions: decisionsView(teams, describe),
    search: searchView(teams, worker, backend, describe),
    learned: learnedView(teams, backend),
    log: logView(teams, backend),
    team: teamView(teams, worker),
  }
  const refreshAll = () => {
    for (const view of Object.values(views)) view.refresh()
  }
  context.subscriptions.push(
    log,
    teams,
    changed,
    { dispose: worker.stop },
    ...Object.values(views),
    changed.event(refreshAll),
    diagnostics(teams, worker, author, { entries: entrySelector, sessions: sessionSelector }),
    entryFeatures({ teams, worker, backend, describe, selector: entrySelector }),
    entryCompletions(teams, entrySelector),
    sessionCompletions(worker, sessionSelector),
    entryTokens(teams, worker, entrySelector),
    codeHints(teams, worker, backend),
    statusBar(teams, backend, changed.event),
    registerCommands({ context, teams, worker, backend, views, author, log, refreshAll }),
  )
  void vscode.commands.executeCommand("setContext", "drey.connected", false)
  if (host.connect)
    context.subscriptions.push(
      host.connect({ context, teams, worker, log, files, use, onDidChangeBackend: changed.event }),
    )
  const ready = teams.reload()
  const activationMs = performance.now() - began
  log.info(`activated in ${activationMs.toFixed(1)} ms`)
  return { activationMs, ready, backend: () => current.kind }
}
