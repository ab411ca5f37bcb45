import * as vscode from "vscode"
import type { DescribeEntry } from "../editor/entry-hover.ts"
import type { Teams } from "../teams.ts"
import { byTeam, entryNode, type TreeView, treeView } from "./tree.ts"

/** What waits for a person, with the number of it on the view's icon. */
export function inboxView(teams: Teams, describe: DescribeEntry): TreeView {
  const tree = treeView("drey.inbox", () => {
    const waiting = teams.all().filter(({ rows }) => rows.some(({ source }) => source === "inbox"))
    return byTeam(waiting, (team) =>
      team.rows
        .filter(({ source }) => source === "inbox")
        .sort((one, other) => other.at - one.at)
        .map((row) => {
          const node = entryNode(team, row, describe)
          if (row.review) node.item.iconPath = new vscode.ThemeIcon("question")
          return node
        }),
    )
  })
  const count = () => {
    const waiting = teams.all().flatMap(({ rows }) => rows.filter(({ source }) => source === "inbox")).length
    tree.view.badge = waiting === 0 ? undefined : { value: waiting, tooltip: vscode.l10n.t("{0} to review", waiting) }
    tree.refresh()
  }
  const listening = teams.onDidChange(count)
  return {
    ...tree,
    dispose() {
      listening.dispose()
      tree.dispose()
    },
  }
}
