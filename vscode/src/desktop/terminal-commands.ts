import * as vscode from "vscode"
import type { Health } from "../backend/backend.ts"
import type { DreyProgram } from "./drey-process.ts"

export type TerminalParts = {
  program: () => DreyProgram | undefined
  health: () => Health | undefined
  restart: () => Promise<void>
  pickFolder: () => vscode.WorkspaceFolder | undefined
}

/** What asks questions or changes settings of other programs runs in a terminal, where the user sees the plan and agrees. */
export function terminalCommands({ program, health, restart, pickFolder }: TerminalParts): vscode.Disposable[] {
  const run = (line: string) => {
    const folder = pickFolder() ?? vscode.workspace.workspaceFolders?.[0]
    const terminal = vscode.window.createTerminal({ name: "Drey", ...(folder ? { cwd: folder.uri } : {}) })
    terminal.show()
    terminal.sendText(line)
  }
  const drey = (args: string) => {
    const found = program()
    if (!found) return vscode.commands.executeCommand("drey.install")
    run(`${[found.command, ...found.args].map(quoted).join(" ")} ${args}`)
  }
  const commands: Record<string, () => unknown> = {
    setUp: () => drey("init"),
    openApp: () => drey("ui"),
    async connect() {
      const clients = health()?.clients ?? []
      if (clients.length === 0) return drey("connect")
      const items = clients.map(({ id, name, connected }) => ({
        label: name,
        description: connected ? vscode.l10n.t("connected") : "",
        picked: !connected,
        id,
      }))
      const chosen = await vscode.window.showQuickPick(items, {
        canPickMany: true,
        title: vscode.l10n.t("Connect coding agents"),
        placeHolder: vscode.l10n.t("The plan is shown in a terminal before anything is written"),
      })
      if (chosen && chosen.length > 0) drey(`connect ${chosen.map(({ id }) => id).join(" ")}`)
    },
    install() {
      run("npm install --global drey")
      const again = vscode.l10n.t("It is installed")
      void vscode.window
        .showInformationMessage(
          vscode.l10n.t("When the installation in the terminal is done, Drey connects to it."),
          again,
        )
        .then((chosen) => (chosen === again ? restart() : undefined))
    },
  }
  return Object.entries(commands).map(([name, act]) => vscode.commands.registerCommand(`drey.${name}`, act))
}

function quoted(word: string): string {
  return /^[\w./:\\@-]+$/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`
}
