import * as vscode from "vscode"
import type { FixTitle } from "../model/quick-fixes.ts"
import type { Problem } from "../model/team-model.ts"
import type { Team, Teams } from "../teams.ts"
import type { WorkerClient } from "../worker-client.ts"

const severities = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  info: vscode.DiagnosticSeverity.Information,
}

const typingPause = 250

/** What `drey validate` reports, for open files as one types, and what repairs it. */
export function diagnostics(
  teams: Teams,
  worker: WorkerClient,
  author: () => Promise<string>,
  selector: { entries: vscode.DocumentSelector; sessions: vscode.DocumentSelector },
): vscode.Disposable {
  const collection = vscode.languages.createDiagnosticCollection("drey")
  const waiting = new Map<string, ReturnType<typeof setTimeout>>()
  const isOn = (document: vscode.TextDocument) =>
    vscode.workspace.getConfiguration("drey", document.uri).get("diagnostics", true)

  const check = async (document: vscode.TextDocument) => {
    const { version } = document
    if (!isOn(document)) return collection.delete(document.uri)
    const problems = await problemsOf(document)
    if (problems && document.version === version && !document.isClosed)
      collection.set(
        document.uri,
        problems.map((problem) => toDiagnostic(document, problem)),
      )
  }
  const problemsOf = async (document: vscode.TextDocument): Promise<Problem[] | undefined> => {
    if (vscode.languages.match(selector.sessions, document) > 0)
      return worker.call("sessionProblems", document.uri.path, document.getText())
    if (vscode.languages.match(selector.entries, document) === 0) return undefined
    const team = await teams.sync(document)
    const path = team?.pathOf(document.uri)
    return team && path !== undefined ? worker.call("problems", team.root, path) : undefined
  }
  const checkSoon = (document: vscode.TextDocument, pause = typingPause) => {
    const key = document.uri.toString()
    clearTimeout(waiting.get(key))
    waiting.set(
      key,
      setTimeout(() => {
        waiting.delete(key)
        void check(document)
      }, pause),
    )
  }
  const checkAll = () => {
    for (const document of vscode.workspace.textDocuments) checkSoon(document, 20)
  }
  const fixes = vscode.languages.registerCodeActionsProvider(
    selector.entries,
    {
      async provideCodeActions(document, range, context, token) {
        if (!vscode.workspace.isTrusted) return []
        const team = await teams.sync(document, token)
        const path = team?.pathOf(document.uri)
        if (!team || path === undefined) return []
        const found = await worker.call(
          "fixes",
          team.root,
          path,
          [range.start.line + 1, range.end.line + 1],
          await author(),
        )
        const actions = found.map(({ title, code, line, edits, isPreferred }) => {
          const action = new vscode.CodeAction(
            titleOf(title),
            code === "" ? vscode.CodeActionKind.RefactorRewrite : vscode.CodeActionKind.QuickFix,
          )
          action.edit = new vscode.WorkspaceEdit()
          for (const { from, to, text, isSnippet } of edits) {
            const place = new vscode.Range(from - 1, 0, to - 1, 0)
            const end = to > document.lineCount ? document.lineAt(document.lineCount - 1).range.end : place.end
            const replaced = new vscode.Range(place.start, end)
            if (isSnippet)
              action.edit.set(document.uri, [new vscode.SnippetTextEdit(replaced, new vscode.SnippetString(text))])
            else action.edit.replace(document.uri, replaced, text)
          }
          action.diagnostics = context.diagnostics.filter(
            (each) => each.code === code && each.range.start.line === line - 1,
          )
          if (isPreferred) action.isPreferred = true
          return action
        })
        return [...actions, ...supersedeAction(team, path, range)]
      },
    },
    { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix, vscode.CodeActionKind.RefactorRewrite] },
  )
  const listening = [
    vscode.workspace.onDidOpenTextDocument((document) => checkSoon(document, 20)),
    vscode.workspace.onDidChangeTextDocument(
      ({ document, contentChanges }) => contentChanges.length > 0 && checkSoon(document),
    ),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => collection.delete(uri)),
    vscode.workspace.onDidChangeConfiguration(
      (change) => change.affectsConfiguration("drey.diagnostics") && checkAll(),
    ),
    teams.onDidChange(checkAll), // a reference may lead to another file
  ]
  checkAll()
  return vscode.Disposable.from(collection, fixes, ...listening)
}

function toDiagnostic(document: vscode.TextDocument, { line, code, severity, message }: Problem): vscode.Diagnostic {
  const place = document.lineAt(Math.min(Math.max(line, 1), document.lineCount) - 1)
  const start = place.firstNonWhitespaceCharacterIndex
  const range = new vscode.Range(place.lineNumber, start, place.lineNumber, place.text.trimEnd().length)
  const diagnostic = new vscode.Diagnostic(range, message, severities[severity])
  diagnostic.source = "drey"
  diagnostic.code = code
  return diagnostic
}

/** Of the entry whose heading the cursor is on. */
function supersedeAction(team: Team, path: string, range: vscode.Range): vscode.CodeAction[] {
  const row = team.rows.find((each) => each.path === path && each.line === range.start.line + 1)
  if (!row || row.status === "superseded" || row.source === "inbox" || !vscode.workspace.isTrusted) return []
  const action = new vscode.CodeAction(vscode.l10n.t("Mark as superseded…"), vscode.CodeActionKind.RefactorRewrite)
  action.command = { command: "drey.supersede", title: action.title, arguments: [{ team, row }] }
  return [action]
}

function titleOf(title: FixTitle): string {
  switch (title) {
    case "convert":
      return vscode.l10n.t("Convert this entry to SEM")
    case "fill-fields":
      return vscode.l10n.t("Fill in the missing fields")
    case "stamp-time":
      return vscode.l10n.t("Stamp the time")
    case "add-author":
      return vscode.l10n.t("Add an author")
    case "add-rationale":
      return vscode.l10n.t("Add a rationale")
    case "use-header":
      return vscode.l10n.t("Use what the heading says")
    case "shorten-summary":
      return vscode.l10n.t("Shorten the summary and keep the text as details")
    case "remove-reference":
      return vscode.l10n.t("Remove the reference")
    case "default-scope":
      return vscode.l10n.t("Use the default scope")
    case "redact":
      return vscode.l10n.t("Replace the secret with [redacted]")
  }
}
