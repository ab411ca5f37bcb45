import * as vscode from "vscode"
import type { Backend } from "../backend/backend.ts"
import type { EntryRow } from "../model/team-model.ts"
import type { OutlineEntry } from "../model/worker-methods.ts"
import type { Team, Teams } from "../teams.ts"
import { openEntry } from "../views/search.ts"
import type { WorkerClient } from "../worker-client.ts"
import { type DescribeEntry, usesSentence } from "./entry-hover.ts"

export type EntryFeatureParts = {
  teams: Teams
  worker: WorkerClient
  backend: () => Backend
  describe: DescribeEntry
  selector: vscode.DocumentSelector
}

type Place = { team: Team; path: string; outline: OutlineEntry[] }

/** Outline, folding, hover, lenses, definition and references in the team's Markdown. */
export function entryFeatures({ teams, worker, backend, describe, selector }: EntryFeatureParts): vscode.Disposable {
  const placeOf = async (
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
  ): Promise<Place | undefined> => {
    const team = await teams.sync(document, token)
    const path = team?.pathOf(document.uri)
    return team && path !== undefined
      ? { team, path, outline: await worker.call("outline", team.root, path) }
      : undefined
  }

  const symbols = vscode.languages.registerDocumentSymbolProvider(
    selector,
    {
      async provideDocumentSymbols(document, token) {
        const place = await placeOf(document, token)
        return (place?.outline ?? []).map((entry) => {
          const line = document.lineAt(Math.min(entry.line, document.lineCount) - 1)
          const symbol = new vscode.DocumentSymbol(
            entry.title || "…",
            `${entry.type} · ${entry.author}`,
            symbolKinds[entry.type] ?? vscode.SymbolKind.String,
            rangeOf(document, entry),
            line.range,
          )
          symbol.children = entry.fields
            .filter(([name]) => name === "details" || name === "rationale" || name === "related")
            .map(([name, at]) => {
              const { range } = document.lineAt(Math.min(at, document.lineCount) - 1)
              return new vscode.DocumentSymbol(name, "", vscode.SymbolKind.Field, range, range)
            })
          return symbol
        })
      },
    },
    { label: "Drey" },
  )

  const folding = vscode.languages.registerFoldingRangeProvider(selector, {
    async provideFoldingRanges(document, _context, token) {
      const place = await placeOf(document, token)
      return (place?.outline ?? []).map(
        ({ line, endLine }) =>
          new vscode.FoldingRange(line - 1, Math.max(line, endLine) - 1, vscode.FoldingRangeKind.Region),
      )
    },
  })

  const hover = vscode.languages.registerHoverProvider(selector, {
    async provideHover(document, position, token) {
      const team = await teams.sync(document, token)
      const path = team?.pathOf(document.uri)
      if (!team || path === undefined) return undefined
      const named = await referenceAt(team, document, position)
      if (named) return new vscode.Hover(await describe(team, named.row), named.range)
      const own = team.rows.find((row) => row.path === path && row.line === position.line + 1)
      return own && new vscode.Hover(await describe(team, own), document.lineAt(position.line).range)
    },
  })

  /** The entry that the word at a position names, unless it is the heading's own time. */
  const referenceAt = async (team: Team, document: vscode.TextDocument, position: vscode.Position) => {
    const range = document.getWordRangeAtPosition(
      position,
      /sem-[0-9a-f]{6,}(?:-[0-9a-f]{4})?|\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})|[A-Za-z0-9][\w.-]{5,79}/,
    )
    if (!range) return undefined
    const line = document.lineAt(range.start.line).text
    const word = document.getText(range)
    const isReference =
      /^sem-/.test(word) || /^\*\*(?:supersedes|supersededBy|id):\*\*|^[-*] (?:decision|memory):/i.test(line)
    const row = isReference ? await worker.call("resolve", team.root, word) : undefined
    return row && { row, range }
  }
  const definition = vscode.languages.registerDefinitionProvider(selector, {
    async provideDefinition(document, position) {
      const team = await teams.sync(document)
      const named = team && (await referenceAt(team, document, position))
      return named && new vscode.Location(team.uri(named.row.path), new vscode.Position(named.row.line - 1, 0))
    },
  })

  const references = vscode.languages.registerReferenceProvider(selector, {
    async provideReferences(document, position) {
      const team = await teams.sync(document)
      const path = team?.pathOf(document.uri)
      if (!team || path === undefined) return []
      const named = await referenceAt(team, document, position)
      const own =
        named?.row ??
        team.rows.find((row) => row.path === path && row.line <= position.line + 1 && position.line < row.endLine)
      if (!own) return []
      return (await worker.call("references", team.root, own.id)).map(
        (row) => new vscode.Location(team.uri(row.path), new vscode.Position(row.line - 1, 0)),
      )
    },
  })

  const lensChanged = new vscode.EventEmitter<void>()
  const lenses = vscode.languages.registerCodeLensProvider(selector, {
    onDidChangeCodeLenses: lensChanged.event,
    async provideCodeLenses(document, token) {
      if (!vscode.workspace.getConfiguration("drey", document.uri).get("codeLens", true)) return []
      const team = await teams.sync(document, token)
      const path = team?.pathOf(document.uri)
      return team ? team.rows.filter((row) => row.path === path).flatMap((row) => lensesOf(document, team, row)) : []
    },
    async resolveCodeLens(lens) {
      if (!(lens instanceof UsesLens)) return lens
      const uses = await backend().uses(lens.team, lens.row.id)
      const title = uses ? usesSentence(uses) : vscode.l10n.t("Not handed over yet")
      lens.command = { title, command: "drey.why", arguments: [{ team: lens.team, row: lens.row, id: lens.row.id }] }
      return lens
    },
  })
  const lensesOf = (document: vscode.TextDocument, team: Team, row: EntryRow): vscode.CodeLens[] => {
    const at = new vscode.Range(
      Math.min(row.line, document.lineCount) - 1,
      0,
      Math.min(row.line, document.lineCount) - 1,
      0,
    )
    const lens = (title: string, command: string, ...args: unknown[]) =>
      new vscode.CodeLens(at, { title, command, arguments: args })
    const titleOf = (id: string) => team.rows.find((each) => each.id === id)
    const found: vscode.CodeLens[] = []
    if (row.source === "inbox" && vscode.workspace.isTrusted) {
      found.push(
        lens(`$(check) ${vscode.l10n.t("Accept")}`, "drey.accept", { team, row }),
        lens(`$(close) ${vscode.l10n.t("Refuse…")}`, "drey.refuse", { team, row }),
        lens(`$(diff) ${vscode.l10n.t("Show the change")}`, "drey.diff", { team, row }),
      )
      if (row.review) found.push(lens(`$(question) ${row.review}`, ""))
    }
    for (const id of row.supersededBy) {
      const by = titleOf(id)
      if (by)
        found.push(
          lens(`$(arrow-right) ${vscode.l10n.t("Superseded by “{0}”", by.title)}`, "drey.openEntry", { team, row: by }),
        )
    }
    if (row.status === "expired") found.push(lens(`$(clock) ${vscode.l10n.t("Due for review")}`, ""))
    if (backend().kind === "drey" && row.source !== "inbox" && row.status !== "superseded")
      found.push(new UsesLens(at, team, row))
    return found
  }
  const listening = teams.onDidChange(() => lensChanged.fire())
  const open = vscode.commands.registerCommand(
    "drey.openEntry",
    async ({ team, row }: { team?: Team; row?: EntryRow } = {}) => {
      if (team && row) await openEntry(team, row)
    },
  )
  return vscode.Disposable.from(symbols, folding, hover, definition, references, lenses, lensChanged, listening, open)
}

/** How often an entry was used is asked for when the lens comes into view. */
class UsesLens extends vscode.CodeLens {
  readonly team: Team
  readonly row: EntryRow

  constructor(range: vscode.Range, team: Team, row: EntryRow) {
    super(range)
    this.team = team
    this.row = row
  }
}

const symbolKinds: Record<string, vscode.SymbolKind> = {
  decision: vscode.SymbolKind.Constant,
  directive: vscode.SymbolKind.Event,
  note: vscode.SymbolKind.String,
  memory: vscode.SymbolKind.Object,
}

function rangeOf(document: vscode.TextDocument, { line, endLine }: OutlineEntry): vscode.Range {
  const last = document.lineAt(Math.min(Math.max(line, endLine), document.lineCount) - 1)
  return new vscode.Range(Math.min(line, document.lineCount) - 1, 0, last.lineNumber, last.text.length)
}
