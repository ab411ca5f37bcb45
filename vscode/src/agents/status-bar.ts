import * as vscode from "vscode"
import type { Backend } from "../backend/backend.ts"
import type { Teams } from "../teams.ts"

/** How many proposals wait, whether something is wrong, and what was handed over last. */
export function statusBar(
  teams: Teams,
  backend: () => Backend,
  onDidChangeBackend: vscode.Event<Backend>,
): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("drey.status", vscode.StatusBarAlignment.Left, 10)
  item.name = "Drey"
  item.command = "drey.status"
  let turn = 0
  const update = async () => {
    const own = ++turn
    const isShown = teams.all().length > 0 && vscode.workspace.getConfiguration("drey").get("statusBar", true)
    if (!isShown) return item.hide()
    const rows = teams.all().flatMap((team) => team.rows)
    const waiting = rows.filter(({ source }) => source === "inbox").length
    const due = rows.filter(({ status }) => status === "expired").length
    item.text = waiting > 0 ? `$(inbox) Drey ${waiting}` : "$(check) Drey"
    const lines = [
      waiting > 0 ? vscode.l10n.t("{0} to review", waiting) : vscode.l10n.t("Nothing to review"),
      ...(due > 0 ? [vscode.l10n.t("{0} due for review", due)] : []),
      backend().kind === "drey"
        ? vscode.l10n.t("Connected to drey on this machine")
        : vscode.l10n.t("Reading the team folder without the drey program"),
    ]
    item.tooltip = lines.join("\n")
    item.accessibilityInformation = { label: `Drey: ${lines.join(", ")}` }
    item.show()
    const [team] = teams.all()
    const [last] = team ? await backend().log(team) : []
    if (own === turn && last)
      item.tooltip = [
        ...lines,
        vscode.l10n.t(
          "Last: {0}",
          `${last.label}${last.items.length > 0 ? ` (${vscode.l10n.t("{0} handed over", last.items.length)})` : ""}`,
        ),
      ].join("\n")
  }
  const listening = [
    teams.onDidChange(() => void update()),
    onDidChangeBackend(() => void update()),
    vscode.workspace.onDidChangeConfiguration(
      (change) => change.affectsConfiguration("drey.statusBar") && void update(),
    ),
  ]
  return vscode.Disposable.from(item, ...listening)
}
