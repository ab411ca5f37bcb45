import * as vscode from "vscode"
import type { EntryRow } from "../model/team-model.ts"
import type { Team } from "../teams.ts"

/** A line of a view; `children` are asked for when it is opened. */
export type TreeNode = {
  item: vscode.TreeItem
  children?: () => TreeNode[] | Promise<TreeNode[]>
  /** Filled in when the pointer rests on it. */
  resolve?: (item: vscode.TreeItem) => Promise<void>
  team?: Team
  row?: EntryRow
  /** Of a learned memory. */
  id?: string
}

export type TreeView = { view: vscode.TreeView<TreeNode>; refresh(): void; dispose(): void }

/** A view whose lines are computed from `roots`, and computed again by `refresh`. */
export function treeView(id: string, roots: () => TreeNode[] | Promise<TreeNode[]>): TreeView {
  const changed = new vscode.EventEmitter<void>()
  const view = vscode.window.createTreeView<TreeNode>(id, {
    showCollapseAll: true,
    treeDataProvider: {
      onDidChangeTreeData: changed.event,
      getTreeItem: ({ item }) => item,
      getChildren: (node) => (node ? (node.children?.() ?? []) : roots()),
      async resolveTreeItem(item, node) {
        await node.resolve?.(item)
        return item
      },
    },
  })
  return {
    view,
    refresh: () => changed.fire(),
    dispose() {
      view.dispose()
      changed.dispose()
    },
  }
}

/** With one team its lines, with several a line for each. */
export async function byTeam(
  teams: readonly Team[],
  linesOf: (team: Team) => TreeNode[] | Promise<TreeNode[]>,
): Promise<TreeNode[]> {
  const [only] = teams
  if (!only) return []
  if (teams.length === 1) return linesOf(only)
  return teams.map((team) => {
    const item = new vscode.TreeItem(team.folder.name, vscode.TreeItemCollapsibleState.Expanded)
    item.iconPath = vscode.ThemeIcon.Folder
    item.id = `team:${team.root}`
    return { item, team, children: () => linesOf(team) }
  })
}

export function group(
  label: string,
  count: number,
  options: { id: string; icon?: string; isOpen?: boolean; tooltip?: string },
  children: () => TreeNode[],
): TreeNode {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState
  const item = new vscode.TreeItem(label, options.isOpen ? Expanded : Collapsed)
  item.id = options.id
  item.description = String(count)
  if (options.icon) item.iconPath = new vscode.ThemeIcon(options.icon)
  if (options.tooltip) item.tooltip = options.tooltip
  return { item, children }
}

const icons: Record<string, string> = { decision: "law", directive: "shield", note: "note", memory: "lightbulb" }

export function iconOf({ type, status }: Pick<EntryRow, "type" | "status">): vscode.ThemeIcon {
  if (status === "superseded") return new vscode.ThemeIcon("circle-slash", new vscode.ThemeColor("disabledForeground"))
  if (status === "expired") return new vscode.ThemeIcon("clock", new vscode.ThemeColor("list.warningForeground"))
  return new vscode.ThemeIcon(icons[type] ?? "note")
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["week", 7 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
]

/** "3 days ago", in the language of the editor. */
export function relativeTime(at: number, now: number, language: string): string {
  const [unit, length] = units.find(([, each]) => Math.abs(now - at) >= each) ?? ["minute", 60_000]
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(-Math.round((now - at) / length), unit)
}

/** The line of an entry, which opens it. */
export function entryNode(
  team: Team,
  row: EntryRow,
  describe: (team: Team, row: EntryRow) => Promise<vscode.MarkdownString>,
): TreeNode {
  const item = new vscode.TreeItem(row.title)
  item.id = `${team.root}:${row.source}:${row.id}:${row.path}:${row.line}`
  item.description = `${row.author} · ${relativeTime(row.at, Date.now(), vscode.env.language)}`
  item.iconPath = iconOf(row)
  item.contextValue =
    row.source === "inbox"
      ? "proposal"
      : row.source === "learned"
        ? "memory"
        : row.status === "superseded"
          ? "entry.superseded"
          : "entry.current"
  item.command = openCommand(team, row)
  item.accessibilityInformation = { label: `${row.title}, ${row.type}, ${row.status}, ${item.description}` }
  return {
    item,
    team,
    row,
    async resolve(resolved) {
      resolved.tooltip = await describe(team, row)
    },
  }
}

export function openCommand(team: Team, { id, path, line }: Pick<EntryRow, "id" | "path" | "line">): vscode.Command {
  if (path === "") return { command: "drey.why", title: vscode.l10n.t("Why"), arguments: [{ team, id }] }
  const selection = new vscode.Range(line - 1, 0, line - 1, 0)
  return {
    command: "vscode.open",
    title: vscode.l10n.t("Open"),
    arguments: [team.uri(path), { selection, preview: true }],
  }
}
