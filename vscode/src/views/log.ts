import * as vscode from "vscode"
import type { Backend } from "../backend/backend.ts"
import type { Teams } from "../teams.ts"
import { byTeam, relativeTime, type TreeNode, type TreeView, treeView } from "./tree.ts"

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
        item.iconPath = new vscode.ThemeIcon("history")
        const children = () =>
          row.items.map((each): TreeNode => {
            const own = new vscode.TreeItem(each.label)
            own.description = each.description
            own.iconPath = new vscode.ThemeIcon(each.open ? "file" : "arrow-small-right")
            const target = each.id === undefined ? undefined : team.rows.find(({ id }) => id === each.id)
            const open = each.open ?? (target && team.uri(target.path))
            if (open)
              own.command = {
                command: "vscode.open",
                title: vscode.l10n.t("Open"),
                arguments: [
                  open,
                  target ? { selection: new vscode.Range(target.line - 1, 0, target.line - 1, 0) } : {},
                ],
              }
            else if (each.id !== undefined)
              own.command = {
                command: "drey.why",
                title: vscode.l10n.t("Why"),
                arguments: [{ item: own, team, id: each.id }],
              }
            return { item: own, team, ...(each.id === undefined ? {} : { id: each.id }) }
          })
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
