import * as vscode from "vscode"
import type { DescribeEntry } from "../editor/entry-hover.ts"
import type { EntryRow } from "../model/team-model.ts"
import type { Team, Teams } from "../teams.ts"
import { byTeam, entryNode, group, type TreeNode, type TreeView, treeView } from "./tree.ts"

export type Grouping = "none" | "type" | "author" | "tag" | "time"

/** What the team has decided: active, due for review, superseded, archived. */
export function decisionsView(teams: Teams, describe: DescribeEntry): TreeView {
  const tree = treeView("drey.decisions", () => byTeam(teams.all(), (team) => sectionsOf(team, describe)))
  const disposables = [
    teams.onDidChange(tree.refresh),
    vscode.workspace.onDidChangeConfiguration(
      (change) => change.affectsConfiguration("drey.groupBy") && tree.refresh(),
    ),
  ]
  return {
    ...tree,
    dispose() {
      for (const each of [...disposables, tree]) each.dispose()
    },
  }
}

function sectionsOf(team: Team, describe: DescribeEntry): TreeNode[] {
  const entries = team.rows.filter(({ source }) => source === "decisions" || source === "archive")
  const sections = [
    {
      id: "active",
      label: vscode.l10n.t("Active"),
      icon: "pass",
      rows: entries.filter(({ status }) => status === "in force"),
      isOpen: true,
    },
    {
      id: "due",
      label: vscode.l10n.t("Due for review"),
      icon: "clock",
      rows: entries.filter(({ status }) => status === "expired"),
      isOpen: true,
    },
    {
      id: "superseded",
      label: vscode.l10n.t("Superseded"),
      icon: "circle-slash",
      rows: entries.filter(({ status }) => status === "superseded"),
      isOpen: false,
    },
    {
      id: "archived",
      label: vscode.l10n.t("Archived"),
      icon: "archive",
      rows: entries.filter(({ status }) => status === "archived"),
      isOpen: false,
    },
  ]
  const grouping = vscode.workspace.getConfiguration("drey").get<Grouping>("groupBy", "none")
  return sections
    .filter(({ rows }) => rows.length > 0)
    .map(({ id, label, icon, rows, isOpen }) => {
      const key = `${team.root}:${id}`
      return group(label, rows.length, { id: key, icon, isOpen }, () => {
        const lines = (some: readonly EntryRow[]) =>
          pagesOf(
            [...some].sort((one, other) => other.at - one.at),
            (row) => entryNode(team, row, describe),
            key,
          )
        if (grouping === "none") return lines(rows)
        return groupsOf(rows, grouping).map(([name, some]) =>
          group(name, some.length, { id: `${key}:${grouping}:${name}`, isOpen: rows.length <= 30 }, () => lines(some)),
        )
      })
    })
}

const mostLines = 200

/** A list of any length: the first lines, and one that opens to the next. */
function pagesOf(rows: readonly EntryRow[], nodeOf: (row: EntryRow) => TreeNode, key: string): TreeNode[] {
  const shown = rows.slice(0, mostLines).map(nodeOf)
  const rest = rows.slice(mostLines)
  const [first] = rest
  if (!first) return shown
  const id = `${key}:from:${first.id}`
  return [
    ...shown,
    group(vscode.l10n.t("Older"), rest.length, { id, icon: "ellipsis" }, () => pagesOf(rest, nodeOf, key)),
  ]
}

/** Entries under each of their names; months newest first, all else by name. */
export function groupsOf(rows: readonly EntryRow[], grouping: Exclude<Grouping, "none">): [string, EntryRow[]][] {
  const groups = new Map<string, EntryRow[]>()
  for (const row of rows)
    for (const name of namesOf(row, grouping)) groups.set(name, [...(groups.get(name) ?? []), row])
  const order = (one: string, other: string) =>
    grouping === "time" ? (one < other ? 1 : -1) : one.localeCompare(other)
  return [...groups].sort(([one], [other]) => order(one, other))
}

function namesOf({ type, author, tags, at }: EntryRow, grouping: Exclude<Grouping, "none">): string[] {
  if (grouping === "type") return [type]
  if (grouping === "author") return [author]
  if (grouping === "time") return [new Date(at).toISOString().slice(0, 7)]
  return tags.length > 0 ? tags : [vscode.l10n.t("No tag")]
}
