import * as vscode from "vscode"
import type { Backend, LearnedRow } from "../backend/backend.ts"
import type { Team, Teams } from "../teams.ts"
import { byTeam, group, relativeTime, type TreeNode, type TreeView, treeView } from "./tree.ts"

/** What Drey learned from the work of agents, and why. */
export function learnedView(teams: Teams, backend: () => Backend): TreeView {
  const tree = treeView("drey.learned", async () => {
    if (backend().kind === "files") return []
    const rows = await Promise.all(teams.all().map(async (team) => ({ team, rows: await backend().learned(team) })))
    const present = rows.filter((each) => each.rows.length > 0)
    return byTeam(
      present.map(({ team }) => team),
      (team) => sections(team, present.find((each) => each.team === team)?.rows ?? [], backend),
    )
  })
  const listening = teams.onDidChange(tree.refresh)
  return {
    ...tree,
    dispose() {
      listening.dispose()
      tree.dispose()
    },
  }
}

/** Of the flags only those that say that it may be wrong; `graduated` or `stale` do not. */
const doubted = /^(?:conflict|contradicted|misses|review)/

function sections(team: Team, rows: readonly LearnedRow[], backend: () => Backend): TreeNode[] {
  const contradicted = rows.filter(
    ({ flags, status }) => status !== "ended" && flags.some((flag) => doubted.test(flag)),
  )
  const sound = rows.filter((row) => !contradicted.includes(row))
  const parts: [string, string, readonly LearnedRow[]][] = [
    [vscode.l10n.t("Contradicted"), "warning", contradicted],
    [vscode.l10n.t("Proven"), "verified", sound.filter(({ status }) => status === "proven")],
    [vscode.l10n.t("On trial"), "beaker", sound.filter(({ status }) => status === "on trial")],
    [vscode.l10n.t("Ended"), "circle-slash", rows.filter(({ status }) => status === "ended")],
  ]
  return parts
    .filter(([, , some]) => some.length > 0)
    .map(([label, icon, some], index) =>
      group(label, some.length, { id: `${team.root}:learned:${icon}`, icon, isOpen: index < 2 }, () =>
        some.map((row) => {
          const item = new vscode.TreeItem(row.title)
          item.id = `${team.root}:learned:${row.id}`
          item.description = [
            row.kind,
            row.at === null ? "" : relativeTime(row.at, Date.now(), vscode.env.language),
            ...row.flags,
          ]
            .filter(Boolean)
            .join(" · ")
          item.iconPath = new vscode.ThemeIcon(row.kind === "guard" ? "shield" : "lightbulb")
          item.contextValue = "memory"
          item.command = { command: "drey.why", title: vscode.l10n.t("Why"), arguments: [{ item, team, id: row.id }] }
          return {
            item,
            team,
            id: row.id,
            async resolve(resolved) {
              const why = await backend().why(team, row.id)
              resolved.tooltip = new vscode.MarkdownString(why ?? row.title)
            },
          }
        }),
      ),
    )
}
