import { homedir } from "node:os"
import * as vscode from "vscode"
import { capturedRules } from "../agents/captured-rules.ts"
import { registerMcpServers } from "../agents/mcp-servers.ts"
import { offerClients } from "../agents/other-clients.ts"
import type { Health } from "../backend/backend.ts"
import { dreyBackend } from "../backend/drey-backend.ts"
import type { HostParts } from "../extension.ts"
import type { Team } from "../teams.ts"
import { type DreyProcess, type DreyProgram, startDrey } from "./drey-process.ts"
import { findDrey } from "./find-drey.ts"
import { terminalCommands } from "./terminal-commands.ts"

const refreshPause = 300
const mostStarts = 3
const startsWithin = 5 * 60_000

/** Finds `drey`, keeps one child of it running while a trusted workspace has a team folder, and falls back to the files without it. */
export function connectDrey(parts: HostParts): vscode.Disposable {
  const { context, teams, log, use } = parts
  const program = new vscode.EventEmitter<void>()
  let found: DreyProgram | undefined
  let child: DreyProcess | undefined
  let health: Health | undefined
  let starts: number[] = []
  let refreshing: ReturnType<typeof setTimeout> | undefined

  const localTeams = () => teams.all().filter(({ folder }) => folder.uri.scheme === "file")
  const missing = (reason: string) => {
    log.warn(`without drey: ${reason}`)
    found = undefined
    program.fire()
    use(undefined)
    void sayOnce(context, reason)
  }
  const run = async () => {
    const [first] = localTeams()
    if (child || !first || !vscode.workspace.isTrusted) return
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file")
    const setting = vscode.workspace.getConfiguration("drey").get("path", "")
    const finding = findDrey(
      setting,
      folders.map(({ uri }) => uri.fsPath),
      process.env,
    )
    if (finding.kind === "missing") return missing(finding.reason)
    found = finding.program
    starts = [...starts.filter((at) => Date.now() - at < startsWithin), Date.now()]
    log.info(`starting ${[found.command, ...found.args].join(" ")}`)
    const started = startDrey({
      program: found,
      folder: first.folder.uri.fsPath,
      environment: process.env,
      log: (line) => log.info(line),
      onChange(change) {
        clearTimeout(refreshing)
        refreshing = setTimeout(() => child === started && use(backend), refreshPause)
        void captured.look(change)
      },
    })
    child = started
    const backend = dreyBackend({ call: started.call, l10n: vscode.l10n, save: saveFiles })
    const captured = capturedRules({
      teams,
      call: started.call,
      backend,
      window: vscode.window,
      l10n: vscode.l10n,
      isOn: () => vscode.workspace.getConfiguration("drey").get("notifyCapturedRules", true),
    })
    void started.ended.then((reason) => {
      if (child !== started) return
      child = undefined
      if (reason === undefined) return
      log.error(`drey ended: ${reason}`)
      use(undefined)
      if (/unknown option/.test(reason)) return void askToUpdate()
      if (starts.length < mostStarts) return void run()
      void askToRestart(reason)
    })
    try {
      health = await backend.health(first)
      if (child !== started) return
      log.info(`connected to drey ${health?.version}`)
      use(backend)
      program.fire()
      if (health) await offerClients(context, health)
    } catch (error) {
      log.error(`drey does not answer: ${error}`) // why it ended is reported above
    }
  }
  const restart = () => {
    child?.stop()
    child = undefined
    starts = []
    use(undefined)
    return run()
  }
  const askToUpdate = async () => {
    const update = vscode.l10n.t("Update drey")
    const chosen = await vscode.window.showWarningMessage(
      vscode.l10n.t("The installed drey is too old for this extension. It reads the team folder by itself until then."),
      update,
    )
    if (chosen === update) await vscode.commands.executeCommand("drey.install")
  }
  const askToRestart = async (reason: string) => {
    const again = vscode.l10n.t("Start it again")
    const show = vscode.l10n.t("Show the log")
    const chosen = await vscode.window.showWarningMessage(
      vscode.l10n.t("drey stopped: {0}. The extension reads the team folder by itself.", reason.replace(/\.$/, "")),
      again,
      show,
    )
    if (chosen === again) await restart()
    if (chosen === show) log.show()
  }
  return vscode.Disposable.from(
    program,
    teams.onDidChange((team) => {
      if (team === undefined) void run() // folders were opened, or a team folder appeared
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void run()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("drey.path")) void restart()
      if (change.affectsConfiguration("drey.mcp")) program.fire()
    }),
    registerMcpServers(vscode, {
      onDidChange: program.event,
      servers: () =>
        found === undefined || !vscode.workspace.getConfiguration("drey").get("mcp", true)
          ? []
          : serversOf(found, localTeams(), health),
    }),
    ...terminalCommands({
      program: () => found,
      health: () => health,
      restart,
      pickFolder: () => localTeams()[0]?.folder,
    }),
    {
      dispose() {
        clearTimeout(refreshing)
        child?.stop()
        child = undefined
      },
    },
  )
}

/** A client that `drey connect` has set up starts the server itself; a second one would offer every tool twice. */
function serversOf(program: DreyProgram, teams: readonly Team[], health: Health | undefined) {
  if (health?.clients.some(({ id, connected }) => id === "vscode-copilot" && connected)) return []
  return teams.map(({ folder }) => ({
    label: teams.length === 1 ? "Drey" : `Drey (${folder.name})`,
    command: program.command,
    args: [...program.args, "mcp", "--root", folder.uri.fsPath],
    version: health?.version,
    cwd: homedir(),
  }))
}

async function saveFiles(team: Team): Promise<void> {
  for (const document of vscode.workspace.textDocuments)
    if (document.isDirty && team.pathOf(document.uri) !== undefined) await document.save()
}

const saidKey = "drey.saidMissing"

/** Once per machine; the status bar and the Learned view say it whenever one looks. */
async function sayOnce(context: vscode.ExtensionContext, reason: string): Promise<void> {
  if (context.globalState.get(saidKey)) return
  await context.globalState.update(saidKey, true)
  const install = vscode.l10n.t("Install drey")
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t(
      "Drey works with the files of the team folder alone: {0}. With it come search by meaning, learned memory and the log.",
      reason,
    ),
    install,
  )
  if (chosen === install) await vscode.commands.executeCommand("drey.install")
}
