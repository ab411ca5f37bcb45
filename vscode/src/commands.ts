import * as vscode from "vscode"
import type { Backend, Outcome } from "./backend/backend.ts"
import type { EntryRow } from "./model/team-model.ts"
import type { Team, Teams } from "./teams.ts"
import type { Grouping } from "./views/decisions.ts"
import { openEntry, type SearchView } from "./views/search.ts"
import type { TreeNode, TreeView } from "./views/tree.ts"
import type { WorkerClient } from "./worker-client.ts"

export type CommandParts = {
  context: vscode.ExtensionContext
  teams: Teams
  worker: WorkerClient
  backend: () => Backend
  views: Record<"inbox" | "decisions" | "learned" | "log" | "team", TreeView> & { search: SearchView }
  author: () => Promise<string>
  log: vscode.LogOutputChannel
  refreshAll(): void
}

/** What a command was called on: a line of a view, or an entry in an editor. */
type Target = Pick<TreeNode, "team" | "row" | "id">

/** What writes: refused in an untrusted workspace, however it is called. */
const changing = new Set(["remember", "rememberSelection", "accept", "refuse", "supersede", "forget", "undo"])

/** Shows texts that are in no file: a context, the reason for a memory, a file as it would be. */
const scheme = "drey"

export function registerCommands({
  teams,
  worker,
  backend,
  views,
  author,
  log,
  refreshAll,
}: CommandParts): vscode.Disposable {
  const shown = new Map<string, string>()
  const textChanged = new vscode.EventEmitter<vscode.Uri>()
  const content = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    onDidChange: textChanged.event,
    provideTextDocumentContent: (uri) => shown.get(uri.toString()) ?? "",
  })
  const show = (name: string, text: string): vscode.Uri => {
    const uri = vscode.Uri.from({ scheme, path: `/${name}` })
    shown.set(uri.toString(), text)
    textChanged.fire(uri)
    return uri
  }
  const report = async (team: Team, outcome: Outcome, isUndo = false): Promise<void> => {
    if (outcome.kind === "refused")
      return void vscode.window.showErrorMessage(vscode.l10n.t("Not changed: {0}.", outcome.reason.replace(/\.$/, "")))
    refreshAll()
    const undo = vscode.l10n.t("Undo")
    const { undo: key } = outcome
    void vscode.window.showInformationMessage(outcome.summary, ...(isUndo ? [] : [undo])).then(async (chosen) => {
      if (chosen === undo) await report(team, await backend().undo(team, key), true)
    })
  }
  /** The proposal that was clicked, or the one in the active editor. */
  const proposalOf = async (target: Target | undefined): Promise<{ team: Team; row: EntryRow } | undefined> => {
    if (target?.team && target.row) return { team: target.team, row: target.row }
    const editor = vscode.window.activeTextEditor
    const team = editor && (await teams.sync(editor.document))
    const path = editor && team?.pathOf(editor.document.uri)
    const own = team?.rows.filter((row) => row.source === "inbox" && row.path === path) ?? []
    const at = editor?.selection.active.line ?? 0
    const row = own.find(({ line, endLine }) => line - 1 <= at && at < endLine) ?? own[0]
    return team && row && { team, row }
  }
  const pickTeam = async (): Promise<Team | undefined> => {
    const editor = vscode.window.activeTextEditor
    const own = editor && teams.at(editor.document.uri)
    if (own || teams.all().length < 2) return own ?? teams.all()[0]
    const chosen = await vscode.window.showQuickPick(teams.all().map((team) => ({ label: team.folder.name, team })))
    return chosen?.team
  }

  const remember = async (selection?: { text: string; path: string; language: string }) => {
    const team = await pickTeam()
    if (!team) return
    const types = [
      {
        label: `$(shield) ${vscode.l10n.t("Rule")}`,
        type: "directive" as const,
        description: vscode.l10n.t("what must always or never be done"),
      },
      {
        label: `$(law) ${vscode.l10n.t("Decision")}`,
        type: "decision" as const,
        description: vscode.l10n.t("a choice that binds the team"),
      },
      {
        label: `$(note) ${vscode.l10n.t("Note")}`,
        type: "note" as const,
        description: vscode.l10n.t("information that is not binding"),
      },
    ]
    const chosen = await vscode.window.showQuickPick(types, { title: vscode.l10n.t("Remember") })
    if (!chosen) return
    const check = async (value: string) => {
      if (value.trim() === "") return vscode.l10n.t("Write a sentence.")
      const result = await worker.call("check", value)
      return result.kind === "refused"
        ? vscode.l10n.t("This contains a secret ({0}). Remove it.", result.reason)
        : undefined
    }
    const isProse = selection !== undefined && !selection.text.includes("\n") && selection.text.split(" ").length > 3
    const text = await vscode.window.showInputBox({
      title: chosen.label.replace(/^\$\(\w+\) /, ""),
      prompt: vscode.l10n.t("In a sentence"),
      value: isProse ? selection.text.trim() : "",
      validateInput: check,
    })
    if (text === undefined) return
    const why =
      chosen.type === "note"
        ? ""
        : await vscode.window.showInputBox({
            title: vscode.l10n.t("Why?"),
            prompt: vscode.l10n.t("Later readers will ask. Leave it empty if there is nothing to say."),
            validateInput: async (value) => (value.trim() === "" ? undefined : check(value)),
          })
    if (why === undefined) return
    const fence = selection?.text.includes("```") ? "~~~~" : "```"
    const details = selection
      ? `${vscode.l10n.t("About `{0}`:", selection.path)}\n\n${fence}${selection.language}\n${selection.text}\n${fence}`
      : ""
    const outcome = await backend().remember(team, {
      type: chosen.type,
      text,
      why,
      author: await author(),
      ...(isProse ? {} : { details }),
    })
    await report(team, outcome)
  }

  const commands: Record<string, (...args: never[]) => unknown> = {
    search: (initial?: string) => views.search.ask(typeof initial === "string" ? initial : undefined),
    clearSearch: () => views.search.clear(),
    refresh: () => teams.reload(),
    async groupBy() {
      const names: Record<Grouping, string> = {
        none: vscode.l10n.t("Newest first"),
        type: vscode.l10n.t("By type"),
        author: vscode.l10n.t("By author"),
        tag: vscode.l10n.t("By tag"),
        time: vscode.l10n.t("By month"),
      }
      const settings = vscode.workspace.getConfiguration("drey")
      const now = settings.get<Grouping>("groupBy", "none")
      const items = (Object.keys(names) as Grouping[]).map((grouping) => ({
        label: names[grouping],
        grouping,
        description: grouping === now ? "✓" : "",
      }))
      const chosen = await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t("Group decisions") })
      if (chosen) await settings.update("groupBy", chosen.grouping, vscode.ConfigurationTarget.Global)
    },
    remember: () => remember(),
    rememberSelection() {
      const editor = vscode.window.activeTextEditor
      if (!editor || editor.selection.isEmpty) return remember()
      const { document, selection } = editor
      return remember({
        text: document.getText(selection),
        path: vscode.workspace.asRelativePath(document.uri, false),
        language: document.languageId,
      })
    },
    async previewContext() {
      const team = await pickTeam()
      if (!team) return
      const task = await vscode.window.showInputBox({
        title: vscode.l10n.t("Preview the context for a task"),
        prompt: vscode.l10n.t("What the agent will do. Nothing is recorded."),
        placeHolder: vscode.l10n.t("Add a retry to the payment client"),
      })
      if (task === undefined) return
      const editor = vscode.window.activeTextEditor
      const path =
        editor && teams.at(editor.document.uri) === team
          ? vscode.workspace.asRelativePath(editor.document.uri, false)
          : undefined
      const text = await backend().context(team, task, path === undefined ? [] : [path])
      const heading = `# ${vscode.l10n.t("Context for: {0}", task || "…")}\n\n`
      const note =
        backend().kind === "files"
          ? `> ${vscode.l10n.t("Chosen by words alone. With the drey program on this machine it is what an agent is handed.")}\n\n`
          : ""
      await vscode.window.showTextDocument(
        show("context.md", heading + note + (text || vscode.l10n.t("Nothing is relevant."))),
        { preview: true },
      )
    },
    async accept(target?: Target) {
      const found = await proposalOf(target)
      if (found) await report(found.team, await backend().accept(found.team, found.row))
    },
    async refuse(target?: Target) {
      const found = await proposalOf(target)
      if (!found) return
      const reason = await vscode.window.showInputBox({
        title: vscode.l10n.t("Refuse “{0}”", found.row.title),
        prompt: vscode.l10n.t("Why, so that its author can learn from it"),
        validateInput: (value) => (value.trim() === "" ? vscode.l10n.t("Write a reason.") : undefined),
      })
      if (reason !== undefined) await report(found.team, await backend().refuse(found.team, found.row, reason))
    },
    async diff(target?: Target) {
      const found = await proposalOf(target)
      const key = found?.row.key
      const preview = found && key !== undefined ? await worker.call("preview", found.team.root, key) : undefined
      if (!found || !preview) return
      const after = show(preview.path.slice(preview.path.lastIndexOf("/") + 1), preview.text)
      await vscode.commands.executeCommand(
        "vscode.diff",
        found.team.uri(preview.path),
        after,
        vscode.l10n.t("If accepted: {0}", found.row.title),
        { preview: true },
      )
    },
    async copyId(target?: Target) {
      await vscode.env.clipboard.writeText(target?.row?.id ?? target?.id ?? "")
    },
    async supersede(target?: Target) {
      const { team, row } = target ?? {}
      if (!team || !row) return
      const items = team.rows
        .filter(
          (each) =>
            each.id !== row.id && (each.source === "decisions" || each.source === "archive") && each.at >= row.at,
        )
        .map((each) => ({
          label: each.title,
          description: `${each.author} · ${new Date(each.at).toISOString().slice(0, 10)}`,
          each,
        }))
      const chosen = await vscode.window.showQuickPick(items, {
        title: vscode.l10n.t("What superseded “{0}”?", row.title),
        matchOnDescription: true,
      })
      if (chosen) await report(team, await backend().supersede(team, row, chosen.each))
    },
    async why(target?: Target) {
      const id = target?.id ?? target?.row?.id
      if (!target?.team || id === undefined) return
      const text = await backend().why(target.team, id)
      if (text !== undefined) await vscode.commands.executeCommand("markdown.showPreview", show(`why-${id}.md`, text))
      else if (target.row) await openEntry(target.team, target.row)
    },
    async forget(target?: Target) {
      const id = target?.id ?? target?.row?.id
      if (target?.team && id !== undefined) await report(target.team, await backend().forget(target.team, id))
    },
    async undo() {
      const team = await pickTeam()
      if (team) await report(team, await backend().undo(team), true)
    },
    async status() {
      const waiting = teams.all().flatMap(({ rows }) => rows.filter(({ source }) => source === "inbox")).length
      const isConnected = backend().kind === "drey"
      const items = [
        { label: `$(inbox) ${vscode.l10n.t("{0} to review", waiting)}`, run: "drey.inbox.focus" },
        { label: `$(search) ${vscode.l10n.t("Search the team's memory")}`, run: "drey.search" },
        { label: `$(add) ${vscode.l10n.t("Remember…")}`, run: "drey.remember" },
        { label: `$(preview) ${vscode.l10n.t("Preview the context for a task")}`, run: "drey.previewContext" },
        { label: `$(history) ${vscode.l10n.t("What agents worked on")}`, run: "drey.log.focus" },
        ...(isConnected
          ? [
              { label: `$(plug) ${vscode.l10n.t("Connect coding agents")}`, run: "drey.connect" },
              { label: `$(browser) ${vscode.l10n.t("Open Drey in the browser")}`, run: "drey.openApp" },
            ]
          : []),
        ...(!isConnected && vscode.env.uiKind === vscode.UIKind.Desktop
          ? [{ label: `$(cloud-download) ${vscode.l10n.t("Install drey on this machine")}`, run: "drey.install" }]
          : []),
      ]
      const chosen = await vscode.window.showQuickPick(items, { title: "Drey" })
      if (chosen) await vscode.commands.executeCommand(chosen.run)
    },
  }
  const isInbox = (editor: vscode.TextEditor | undefined) =>
    /\/\.(?:squad|ai-team)\/decisions\/inbox\/[^/]+\.md$/.test(editor?.document.uri.path ?? "")
  const follow = (editor: vscode.TextEditor | undefined) =>
    vscode.commands.executeCommand("setContext", "drey.inInbox", isInbox(editor))
  void follow(vscode.window.activeTextEditor)
  const registered = Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(`drey.${name}`, async (...args: never[]) => {
      try {
        if (changing.has(name) && !vscode.workspace.isTrusted)
          return void vscode.window.showInformationMessage(
            vscode.l10n.t("Drey only reads in a workspace that is not trusted."),
          )
        return await run(...args)
      } catch (error) {
        log.error(error instanceof Error ? error : String(error))
        void vscode.window.showErrorMessage(
          vscode.l10n.t("Drey: {0}", error instanceof Error ? error.message : String(error)),
        )
      }
    }),
  )
  return vscode.Disposable.from(content, textChanged, vscode.window.onDidChangeActiveTextEditor(follow), ...registered)
}
