import * as vscode from "vscode"
import type { EntryRow } from "./model/team-model.ts"
import type { WorkerClient } from "./worker-client.ts"

/** A workspace folder with a team folder in it. */
export type Team = {
  /** Names it in calls of the worker. */
  readonly root: string
  readonly folder: vscode.WorkspaceFolder
  /** `.squad`, or `.ai-team` where there is no other. */
  readonly main: string
  rows: EntryRow[]
  /** The file at a path such as `.squad/decisions.md`. */
  uri(path: string): vscode.Uri
  /** The path of a file in the team folder; undefined for all others. */
  pathOf(uri: vscode.Uri): string | undefined
}

/** All teams of the workspace, kept current as files and open editors change. */
export type Teams = vscode.Disposable & {
  all(): readonly Team[]
  /** The team whose workspace folder a file is in. */
  at(uri: vscode.Uri): Team | undefined
  onDidChange: vscode.Event<Team | undefined>
  /** Resolves when the worker has the text of a document as it is now. */
  sync(document: vscode.TextDocument, token?: vscode.CancellationToken): Promise<Team | undefined>
  reload(): Promise<void>
}

const teamFolders = [".squad", ".ai-team"]
/** Long enough that a typist is not overtaken, short enough that an error shows when the hands rest. */
const typingPause = 200
const manyLines = 3000
const largePause = 400
const mostFileBytes = 8_000_000

export function openTeams(worker: WorkerClient, log: vscode.LogOutputChannel): Teams {
  const changed = new vscode.EventEmitter<Team | undefined>()
  const disposables: vscode.Disposable[] = [changed]
  let teams: Team[] = []
  let watchers: vscode.Disposable[] = []
  /** The version of each open document that the worker has. */
  const sent = new Map<string, number>()
  const typing = new Map<string, ReturnType<typeof setTimeout>>()
  const parsing = new Map<string, Promise<void>>()
  const decoder = new TextDecoder()

  const readText = async (uri: vscode.Uri): Promise<string | null> => {
    const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString())
    if (open) {
      sent.set(uri.toString(), open.version)
      return open.getText()
    }
    try {
      const bytes = await vscode.workspace.fs.readFile(uri)
      return bytes.length > mostFileBytes ? null : decoder.decode(bytes)
    } catch {
      return null // removed in the meantime, or a folder
    }
  }
  const take = (team: Team, rows: EntryRow[] | undefined, isQuiet = false) => {
    if (!rows) return
    team.rows = rows
    if (!isQuiet) changed.fire(team)
  }
  const put = async (team: Team, uris: readonly vscode.Uri[]) => {
    const files = await Promise.all(
      uris.flatMap((uri) => {
        const path = team.pathOf(uri)
        return path === undefined ? [] : [readText(uri).then((text) => ({ path, text }))]
      }),
    )
    return worker.call("put", team.root, files)
  }

  const openTeam = async (folder: vscode.WorkspaceFolder): Promise<Team | undefined> => {
    const present = await Promise.all(
      teamFolders.map(async (name) => ((await isFolder(vscode.Uri.joinPath(folder.uri, name))) ? name : "")),
    )
    const names = present.filter(Boolean)
    const [main] = names
    if (main === undefined) return undefined
    const base = folder.uri.path.replace(/\/$/, "")
    const team: Team = {
      root: folder.uri.toString(),
      folder,
      main,
      rows: [],
      uri: (path) => vscode.Uri.joinPath(folder.uri, path),
      pathOf(uri) {
        if (
          uri.scheme !== folder.uri.scheme ||
          uri.authority !== folder.uri.authority ||
          !uri.path.startsWith(`${base}/`)
        )
          return undefined
        const path = uri.path.slice(base.length + 1)
        return isTeamFile(path) ? path : undefined
      },
    }
    const files = (await Promise.all(names.map((name) => filesBelow(vscode.Uri.joinPath(folder.uri, name), 0)))).flat()
    const rows = await put(
      team,
      files.filter((uri) => team.pathOf(uri) !== undefined),
    )
    take(team, rows, true)
    return team
  }

  const watch = (folder: vscode.WorkspaceFolder) => {
    const pattern = new vscode.RelativePattern(folder, "{.squad,.ai-team}/**")
    const watcher = vscode.workspace.createFileSystemWatcher(pattern)
    const [pending, deleted] = [new Set<string>(), new Set<string>()]
    let timer: ReturnType<typeof setTimeout> | undefined
    const onFile = (uri: vscode.Uri) => {
      pending.add(uri.toString())
      clearTimeout(timer)
      timer = setTimeout(() => void readAgain(), 60) // a command changes several files in a row
    }
    const readAgain = async () => {
      const uris = [...pending].map((text) => vscode.Uri.parse(text, true))
      const gone = uris.filter((uri) => deleted.has(uri.toString()))
      pending.clear()
      deleted.clear()
      const team = teams.find((each) => each.folder === folder)
      if (!team) return load()
      const present = uris.filter((uri) => !gone.includes(uri))
      // An editor may still show the text of a file that is gone.
      const removed = gone.flatMap((uri) => team.pathOf(uri) ?? []).map((path) => ({ path, text: null }))
      const later = present.length > 0 ? await put(team, present) : undefined
      take(team, (removed.length > 0 ? await worker.call("put", team.root, removed) : undefined) ?? later)
    }
    const onDelete = (uri: vscode.Uri) => {
      deleted.add(uri.toString())
      onFile(uri)
    }
    const onPresent = (uri: vscode.Uri) => {
      deleted.delete(uri.toString())
      onFile(uri)
    }
    watchers.push(
      watcher,
      watcher.onDidChange(onPresent),
      watcher.onDidCreate(onPresent),
      watcher.onDidDelete(onDelete),
    )
  }

  const load = async () => {
    for (const each of watchers) each.dispose()
    watchers = []
    for (const team of teams) await worker.call("close", team.root)
    const folders = vscode.workspace.workspaceFolders ?? []
    for (const folder of folders) watch(folder)
    const opened = await Promise.all(
      folders.map((folder) =>
        openTeam(folder).catch((error: unknown) => {
          log.error(`${folder.name} cannot be read: ${error}`)
          return undefined
        }),
      ),
    )
    teams = opened.flatMap((team) => team ?? [])
    await vscode.commands.executeCommand("setContext", "drey.hasTeam", teams.length > 0)
    await vscode.commands.executeCommand("setContext", "drey.ready", true)
    changed.fire(undefined)
  }

  const teamOf = (uri: vscode.Uri) => teams.find((team) => team.pathOf(uri) !== undefined)
  /** One at a time for each document: who asks while a text is being parsed waits for the next one, which has all changes. */
  const sync = async (document: vscode.TextDocument, token?: vscode.CancellationToken): Promise<Team | undefined> => {
    const team = teamOf(document.uri)
    const key = document.uri.toString()
    for (;;) {
      if (!team || token?.isCancellationRequested) return undefined
      const running = parsing.get(key)
      if (running) await running
      else if (sent.get(key) === document.version || document.isClosed) return team
      else {
        const work = (async () => {
          await pauseInTyping(document)
          clearTimeout(typing.get(key))
          take(team, await put(team, [document.uri]))
        })().finally(() => parsing.delete(key))
        parsing.set(key, work)
        await work
      }
    }
  }
  /** A large text is sent when the typing rests: parsing it takes longer than a keystroke. */
  const pauseInTyping = async (document: vscode.TextDocument) => {
    if (document.lineCount < manyLines) return
    for (let { version } = document; ; { version } = document) {
      await new Promise((done) => setTimeout(done, largePause))
      if (document.version === version) return
    }
  }
  disposables.push(
    vscode.workspace.onDidChangeWorkspaceFolders(() => void load()),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length === 0 || !teamOf(document.uri)) return
      const key = document.uri.toString()
      clearTimeout(typing.get(key))
      typing.set(
        key,
        setTimeout(() => void sync(document), typingPause),
      )
    }),
    vscode.workspace.onDidCloseTextDocument((document) => {
      const team = teamOf(document.uri)
      sent.delete(document.uri.toString())
      if (team && document.isDirty) void put(team, [document.uri]).then((rows) => take(team, rows))
    }),
  )
  return {
    all: () => teams,
    at: (uri) => {
      const folder = vscode.workspace.getWorkspaceFolder(uri)
      return teams.find((team) => team.folder.uri.toString() === folder?.uri.toString())
    },
    onDidChange: changed.event,
    sync,
    reload: load,
    dispose() {
      for (const each of [...disposables, ...watchers]) each.dispose()
      for (const timer of typing.values()) clearTimeout(timer)
    },
  }
}

/** Entries, skills, charters, the members' table; no backups, no dotfiles. */
function isTeamFile(path: string): boolean {
  return (
    /^\.(?:squad|ai-team)\/(?:decisions|agents\/|skills\/|team\.md)/.test(path) &&
    /\.md$/i.test(path) &&
    !/\/\./.test(path)
  )
}

async function isFolder(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.Directory) !== 0
  } catch {
    return false // not there
  }
}

const deepest = 4

async function filesBelow(folder: vscode.Uri, depth: number): Promise<vscode.Uri[]> {
  const skipped = new Set(["backups", "sessions", "log", "orchestration-log", "memory"])
  const items = await vscode.workspace.fs.readDirectory(folder)
  const found = items
    .filter(([name]) => !name.startsWith(".") && !(depth === 0 && skipped.has(name)))
    .map(([name, type]): vscode.Uri[] | Promise<vscode.Uri[]> => {
      const uri = vscode.Uri.joinPath(folder, name)
      if ((type & vscode.FileType.Directory) !== 0) return depth < deepest ? filesBelow(uri, depth + 1) : []
      return /\.md$/i.test(name) ? [uri] : []
    })
  return (await Promise.all(found)).flat()
}
