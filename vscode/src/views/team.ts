import * as vscode from "vscode"
import type { Teams } from "../teams.ts"
import type { WorkerClient } from "../worker-client.ts"
import { byTeam, group, type TreeNode, type TreeView, treeView } from "./tree.ts"

/** The members with their roles, and the skills. */
export function teamView(teams: Teams, worker: WorkerClient): TreeView {
  const tree = treeView("drey.team", () =>
    byTeam(teams.all(), async (team) => {
      const [members, skills] = await Promise.all([worker.call("members", team.root), worker.call("skills", team.root)])
      const opening = (path: string): vscode.Command => ({
        command: "vscode.open",
        title: vscode.l10n.t("Open"),
        arguments: [team.uri(path)],
      })
      const file = (label: string, path: string, icon: string): TreeNode => {
        const item = new vscode.TreeItem(label)
        item.iconPath = new vscode.ThemeIcon(icon)
        item.command = opening(path)
        return { item, team }
      }
      const sections: TreeNode[] = []
      if (members.length > 0)
        sections.push(
          group(
            vscode.l10n.t("Members"),
            members.length,
            { id: `${team.root}:members`, icon: "organization", isOpen: true },
            () =>
              members.map(({ name, role, entries, charter, history }) => {
                const files = [
                  ...(charter === undefined ? [] : [file(vscode.l10n.t("Charter"), charter, "file-text")]),
                  ...(history === undefined ? [] : [file(vscode.l10n.t("History"), history, "history")]),
                ]
                const { None, Collapsed } = vscode.TreeItemCollapsibleState
                const item = new vscode.TreeItem(name, files.length > 0 ? Collapsed : None)
                item.description = [role, entries > 0 ? vscode.l10n.t("{0} entries", entries) : ""]
                  .filter(Boolean)
                  .join(" · ")
                item.iconPath = new vscode.ThemeIcon("person")
                return { item, team, children: () => files }
              }),
          ),
        )
      if (skills.length > 0)
        sections.push(
          group(
            vscode.l10n.t("Skills"),
            skills.length,
            { id: `${team.root}:skills`, icon: "mortar-board", isOpen: true },
            () =>
              skills.map(({ name, description, path }) => {
                const node = file(name, path, "mortar-board")
                node.item.description = description
                node.item.tooltip = description
                return node
              }),
          ),
        )
      return sections
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
