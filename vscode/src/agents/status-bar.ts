import * as vscode from "vscode"
import type { Backend, Health } from "../backend/backend.ts"
import type { Teams } from "../teams.ts"
import { relativeTime } from "../views/tree.ts"

/** Checks read every file of the team: not with each change. */
const healthFreshMs = 60_000
const mostProblems = 3

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
    const text = (problems: number) =>
      waiting > 0 ? `$(inbox) Drey ${waiting}` : problems > 0 ? "$(warning) Drey" : "$(check) Drey"
    const lines = [
      waiting > 0 ? vscode.l10n.t("{0} to review", waiting) : vscode.l10n.t("Nothing to review"),
      ...(due > 0 ? [vscode.l10n.t("{0} due for review", due)] : []),
    ]
    const show = (problems: number, further: readonly string[]) => {
      item.text = text(problems)
      item.tooltip = [...lines, ...further].join("\n")
      item.accessibilityInformation = { label: `Drey: ${[...lines, ...further].join(", ")}` }
      item.show()
    }
    if (backend().kind === "files") return show(0, [vscode.l10n.t("Reading the team folder without the drey program")])
    const { health, problems } = await healthOf(backend())
    if (own !== turn) return
    const latest = health?.latest
    show(problems.length, [
      vscode.l10n.t("Connected to drey {0}", health?.version ?? ""),
      ...problems.slice(0, mostProblems),
      ...(problems.length > mostProblems ? [vscode.l10n.t("{0} more problems", problems.length - mostProblems)] : []),
      ...(health && !health.trusted
        ? [vscode.l10n.t("Not trusted by drey: run “drey trust” so that agents are handed its rules")]
        : []),
      latest
        ? vscode.l10n.t(
            "Last handed over: {0} items to {1}, {2}",
            latest.count,
            latest.agent ?? vscode.l10n.t("an agent"),
            relativeTime(Date.parse(latest.at), Date.now(), vscode.env.language),
          )
        : vscode.l10n.t("Nothing was handed over yet"),
    ])
  }
  let known: { backend: Backend; at: number; health: Promise<Health | undefined> } | undefined
  const healthOf = async (current: Backend) => {
    const [team] = teams.all()
    const isFresh = known?.backend === current && Date.now() - known.at < healthFreshMs
    if (!isFresh && team)
      known = { backend: current, at: Date.now(), health: current.health(team).catch(() => undefined) } // it has ended, which is shown elsewhere
    const health = await known?.health
    return { health, problems: health?.problems ?? [] }
  }
  const timer = setInterval(() => void update(), healthFreshMs)
  const listening = [
    teams.onDidChange(() => void update()),
    onDidChangeBackend(() => void update()),
    vscode.workspace.onDidChangeConfiguration(
      (change) => change.affectsConfiguration("drey.statusBar") && void update(),
    ),
  ]
  return vscode.Disposable.from(item, ...listening, { dispose: () => clearInterval(timer) })
}
