import * as vscode from "vscode"
import type { FileChange, Plan } from "../model/proposals.ts"
import type { Team } from "../teams.ts"
import type { WorkerClient } from "../worker-client.ts"
import type { Backend, LogRow, Outcome } from "./backend.ts"

/** One change of several files, as it can be undone. */
type Done = {
  key: string
  team: Team
  title: string
  files: { path: string; before: string | null; after: string | null }[]
}

/** The team folder as texts: every change is a workspace edit, which the editor's own undo reverts too. */
export function filesBackend(worker: WorkerClient): Backend {
  const done: Done[] = []
  let last = 0
  const apply = async (team: Team, plan: Plan, summary: string): Promise<Outcome> => {
    if (plan.kind === "refused") return { kind: "refused", reason: plan.reason }
    const files = await Promise.all(
      plan.changes.map(async ({ path, text }) => ({ path, before: await textOf(team.uri(path)), after: text })),
    )
    if (!(await write(team, plan.changes)))
      return { kind: "refused", reason: vscode.l10n.t("the editor did not apply the change") }
    const key = String(++last)
    done.push({ key, team, title: summary, files })
    return { kind: "done", summary, id: plan.id, undo: key }
  }
  const refused = (reason: string): Outcome => ({ kind: "refused", reason })
  return {
    kind: "files",
    accept: async (team, row) =>
      apply(
        team,
        await worker.call("accept", team.root, row.key ?? row.path),
        vscode.l10n.t("Accepted “{0}”", row.title),
      ),
    refuse: async (team, row, reason) =>
      apply(
        team,
        await worker.call("refuse", team.root, row.key ?? row.path, reason),
        vscode.l10n.t("Refused “{0}”", row.title),
      ),
    remember: async (team, statement) =>
      apply(
        team,
        await worker.call("remember", team.root, team.main, statement),
        vscode.l10n.t("Remembered in {0}", `${team.main}/decisions.md`),
      ),
    supersede: async (team, older, newer) =>
      apply(
        team,
        await worker.call("supersede", team.root, older.id, newer.id),
        vscode.l10n.t("“{0}” is superseded", older.title),
      ),
    async undo(team, key) {
      const change = done.findLast((each) => each.team.root === team.root)
      if (change && key !== undefined && change.key !== key)
        return refused(vscode.l10n.t("something else was changed since"))
      if (!change) return refused(vscode.l10n.t("there is no change of this session to undo"))
      for (const { path, after } of change.files)
        if ((await textOf(team.uri(path))) !== after) return refused(vscode.l10n.t("{0} was changed since", path))
      if (
        !(await write(
          team,
          change.files.map(({ path, before }) => ({ path, text: before })),
        ))
      )
        return refused(vscode.l10n.t("the editor did not apply the change"))
      done.splice(done.indexOf(change), 1)
      return { kind: "done", summary: vscode.l10n.t("Undone: {0}", change.title) }
    },
    async search(team, query, all) {
      const { rows, problems } = await worker.call("search", team.root, query, { all })
      return { rows, problems: problems.map(({ message }) => message) }
    },
    context: (team, task, paths) => worker.call("context", team.root, task, paths),
    uses: async () => undefined,
    why: async () => undefined,
    learned: async () => [],
    log: (team) => sessionsOf(team),
    health: async () => undefined,
    forget: async () => refused(vscode.l10n.t("learned memory needs Drey on this machine")),
  }
}

async function write(team: Team, changes: readonly FileChange[]): Promise<boolean> {
  const isApplied = await vscode.workspace.applyEdit(await editOf(team, changes))
  if (isApplied) await saveAll(team, changes)
  return isApplied
}

/** Only the part that changes is replaced, so that cursors, folds and other edits stay. */
async function editOf(team: Team, changes: readonly FileChange[]): Promise<vscode.WorkspaceEdit> {
  const edit = new vscode.WorkspaceEdit()
  for (const { path, text } of changes) {
    const uri = team.uri(path)
    if (text === null) {
      edit.deleteFile(uri, { ignoreIfNotExists: true })
      continue
    }
    const document = await openIfThere(uri)
    if (!document) {
      edit.createFile(uri, { ignoreIfExists: true, contents: new TextEncoder().encode(text) })
      continue
    }
    const { start, end, insert } = difference(document.getText(), text)
    if (start !== end || insert !== "")
      edit.replace(uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), insert)
  }
  return edit
}

async function textOf(uri: vscode.Uri): Promise<string | null> {
  return (await openIfThere(uri))?.getText() ?? null
}

/** What lies between the beginning and the end that two texts share. */
export function difference(before: string, after: string): { start: number; end: number; insert: string } {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let tail = 0
  const most = Math.min(before.length, after.length) - start
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  return { start, end: before.length - tail, insert: after.slice(start, after.length - tail) }
}

async function openIfThere(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri)
  } catch {
    return undefined // the file is to be created
  }
}

async function saveAll(team: Team, changes: readonly FileChange[]): Promise<void> {
  const written = new Set(changes.filter(({ text }) => text !== null).map(({ path }) => team.uri(path).toString()))
  for (const document of vscode.workspace.textDocuments)
    if (written.has(document.uri.toString()) && document.isDirty) await document.save()
}

const mostSessions = 50

/** Sessions of working memory, newest first, by their files. */
export async function sessionsOf(team: Team): Promise<LogRow[]> {
  const folder = team.uri(`${team.main}/sessions`)
  const names = await namesIn(folder)
  const newest = names.sort().reverse().slice(0, mostSessions)
  const rows = await Promise.all(
    newest.map(async (name): Promise<LogRow | undefined> => {
      const own = vscode.Uri.joinPath(folder, name)
      const files = (await namesIn(own)).filter((file) => /\.ya?ml$/.test(file)).sort()
      if (files.length === 0) return undefined
      const metadata = files.includes("metadata.yaml") ? await textAt(vscode.Uri.joinPath(own, "metadata.yaml")) : ""
      const field = (key: string) => new RegExp(`^${key}:\\s*["']?(.*?)["']?\\s*$`, "m").exec(metadata)?.[1] ?? ""
      const task = field("task") || field("title") || name
      return {
        label: task,
        description: field("status"),
        detail: name,
        icon: "history",
        at: Date.parse(field("createdAt") || field("startedAt")) || null,
        items: files.map((file) => ({
          label: file,
          description: "",
          icon: "file",
          open: vscode.Uri.joinPath(own, file),
        })),
      }
    }),
  )
  return rows.flatMap((row) => row ?? [])
}

async function namesIn(folder: vscode.Uri): Promise<string[]> {
  try {
    return (await vscode.workspace.fs.readDirectory(folder))
      .map(([name]) => name)
      .filter((name) => !name.startsWith("."))
  } catch {
    return [] // there are no sessions
  }
}

async function textAt(uri: vscode.Uri): Promise<string> {
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri))
  } catch {
    return "" // removed in the meantime
  }
}
