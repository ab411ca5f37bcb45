import * as vscode from "vscode"
import type { Backend, LogItem } from "../backend/backend.ts"
import type { Team, Teams } from "../teams.ts"
import { byTeam, openCommand, relativeTime, type TreeNode, type TreeView, treeView } from "./tree.ts"

/** What agents worked on, newest first, and what each was handed. */
export function logView(teams: Teams, backend: () => Backend): TreeView {
  const tree = treeView("drey.log", () =>
    byTeam(teams.all(), async (team) => {
      const rows = await backend().log(team)
      return rows.map((row): TreeNode => {
        const { None, Collapsed } = vscode.TreeItemCollapsibleState
        const item = new vscode.TreeItem(row.label, row.items.length > 0 ? Collapsed : None)
        item.description = [
          row.description,
          row.at === null ? "" : relativeTime(row.at, Date.now(), vscode.env.language),
        ]
          .filter(Boolean)
          .join(" · ")
        item.tooltip = row.detail
        item.iconPath = new vscode.ThemeIcon(row.icon)
        const children = () => row.items.map((each) => itemNode(team, each))
        return row.items.length > 0 ? { item, team, children } : { item, team }
      })
    }),
  )
  const listening = teams.onDidChange(tree.refresh)
  return {
    ...tree,
    dispose() {
      listening.dispose()
      tree.dispose()
    },
  }
}

function itemNode(team: Team, { label, description, icon, id, open, items = [] }: LogItem): TreeNode {
  const { None, Collapsed } = vscode.TreeItemCollapsibleState
  const item = new vscode.TreeItem(label, items.length > 0 ? Collapsed : None)
  item.description = description
  item.tooltip = label
  item.iconPath = new vscode.ThemeIcon(icon)
  const entry = id === undefined ? undefined : team.rows.find((row) => row.id === id)
  if (open) item.command = { command: "vscode.open", title: vscode.l10n.t("Open"), arguments: [open] }
  else if (entry) item.command = openCommand(team, entry)
  else if (id !== undefined) item.command = openCommand(team, { id, path: "", line: 0 })
  const children = () => items.map((each) => itemNode(team, each))
  return { item, team, ...(items.length > 0 ? { children } : {}), ...(id === undefined ? {} : { id }) }
}
