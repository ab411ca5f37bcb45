import * as vscode from "vscode"
import type { Backend } from "../backend/backend.ts"
import type { EntryRow } from "../model/team-model.ts"
import type { Team, Teams } from "../teams.ts"
import { openEntry } from "../views/search.ts"
import { iconOf } from "../views/tree.ts"
import type { WorkerClient } from "../worker-client.ts"

type EntryPick = vscode.QuickPickItem & { row?: EntryRow }

/** In code: which decisions name this file or a symbol of it. */
export function codeHints(teams: Teams, worker: WorkerClient, backend: () => Backend): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>()
  const pathIn = (team: Team, uri: vscode.Uri) => {
    const base = team.folder.uri.path.replace(/\/$/, "")
    return uri.path.startsWith(`${base}/`) ? uri.path.slice(base.length + 1) : undefined
  }
  const namedIn = async (document: vscode.TextDocument) => {
    const team = teams.at(document.uri)
    const path = team && pathIn(team, document.uri)
    if (!team || path === undefined || team.pathOf(document.uri) !== undefined) return undefined
    return { team, path, rows: await worker.call("naming", team.root, path) }
  }
  const lenses = vscode.languages.registerCodeLensProvider([{ pattern: "**/*" }], {
    onDidChangeCodeLenses: changed.event,
    async provideCodeLenses(document) {
      if (!vscode.workspace.getConfiguration("drey", document.uri).get("codeHints", true)) return []
      const found = await namedIn(document)
      if (!found) return []
      const { team, rows } = found
      const title = (count: number, first: EntryRow | undefined) =>
        count === 1
          ? vscode.l10n.t("$(law) Team: {0}", first?.title ?? "")
          : vscode.l10n.t("$(law) {0} decisions name this file", count)
      const top = rows.length === 0 ? [] : [lensAt(0, title(rows.length, rows[0]), team, rows)]
      const symbols = symbolsOf(document)
      const mentions =
        symbols.length === 0
          ? []
          : await worker.call("mentioning", team.root, [...new Set(symbols.map(({ name }) => name))])
      const lines = mentions.flatMap(({ symbol, ids }) => {
        const at = symbols.find(({ name }) => name === symbol)
        const own = ids.flatMap((id) => team.rows.find((row) => row.id === id) ?? [])
        return at && own.length > 0
          ? [
              lensAt(
                at.line,
                vscode.l10n.t("$(law) {0}: {1}", symbol, own.map((row) => row.title).join(" · ")),
                team,
                own,
              ),
            ]
          : []
      })
      return [...top, ...lines]
    },
  })
  const lensAt = (line: number, title: string, team: Team, rows: EntryRow[]) =>
    new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
      title,
      command: "drey.pickEntry",
      arguments: [team, rows],
    })
  const pick = vscode.commands.registerCommand("drey.pickEntry", async (team: Team, rows: EntryRow[]) => {
    const [only] = rows
    if (only && rows.length === 1) return openEntry(team, only)
    const items = rows.map(
      (row): EntryPick => ({
        label: row.title,
        description: `${row.type} · ${row.author}`,
        detail: row.summary === row.title ? "" : row.summary,
        iconPath: iconOf(row),
        row,
      }),
    )
    const chosen = await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t("Open a decision") })
    if (chosen?.row) await openEntry(team, chosen.row)
  })
  const about = vscode.commands.registerCommand("drey.aboutFile", async (target?: vscode.Uri) => {
    const uri = target ?? vscode.window.activeTextEditor?.document.uri
    if (!uri) return
    const team = teams.at(uri)
    const path = team && pathIn(team, uri)
    if (!team || path === undefined)
      return void vscode.window.showInformationMessage(vscode.l10n.t("This file is in no folder with a team memory."))
    const rows = await worker.call("naming", team.root, path)
    const name = path.slice(path.lastIndexOf("/") + 1)
    const words = name
      .replace(/\.\w+$/, "")
      .split(/[-_.]|(?<=[a-z])(?=[A-Z])/)
      .filter((word) => word.length > 2)
    const further =
      words.length === 0
        ? []
        : (await backend().search(team, words.join(" "), false)).rows
            .filter(({ id, path: place }) => place !== "" && !rows.some((row) => row.id === id))
            .slice(0, mostFurther)
    if (rows.length + further.length === 0)
      return void vscode.window.showInformationMessage(vscode.l10n.t("No decision names {0}.", path))
    const toPick = (row: EntryRow): EntryPick => ({
      label: row.title,
      description: `${row.type} · ${row.author}`,
      detail: row.summary === row.title ? "" : row.summary,
      iconPath: iconOf(row),
      row,
    })
    const separator = (label: string): EntryPick => ({ label, kind: vscode.QuickPickItemKind.Separator })
    const items = [
      ...(rows.length > 0 ? [separator(vscode.l10n.t("Names this file")), ...rows.map(toPick)] : []),
      ...(further.length > 0 ? [separator(vscode.l10n.t("May be about it")), ...further.map(toPick)] : []),
    ]
    const chosen = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t("What the team knows about {0}", name),
      matchOnDetail: true,
    })
    if (chosen?.row) await openEntry(team, chosen.row)
  })
  return vscode.Disposable.from(
    lenses,
    pick,
    about,
    changed,
    teams.onDidChange(() => changed.fire()),
  )
}

const mostFurther = 10
const mostLines = 5000
const declaration =
  /^\s*(?:export\s+|public\s+|private\s+|protected\s+|static\s+|async\s+|abstract\s+|default\s+|pub(?:\([^)]*\))?\s+)*(?:function\*?|class|interface|type|enum|const|let|def|fn|func|struct|trait|record)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]{3,})/

/** Names that a file declares, in most languages; the first line of each. */
function symbolsOf(document: vscode.TextDocument): { name: string; line: number }[] {
  const found: { name: string; line: number }[] = []
  for (let line = 0; line < Math.min(document.lineCount, mostLines); line++) {
    const name = declaration.exec(document.lineAt(line).text)?.[1]
    if (name !== undefined && !found.some((each) => each.name === name)) found.push({ name, line })
  }
  return found
}
