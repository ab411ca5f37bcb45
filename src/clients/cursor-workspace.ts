import { join } from "node:path"
import { lookIfReadable } from "./foreign-database.ts"
import { objectsOf, textOf, textsOf } from "./json-value.ts"
import { listFolder } from "./list-folder.ts"
import { lookOf } from "./look-of.ts"
import { parseValue } from "./parse-value.ts"
import { workspaceFolder } from "./workspace-folder.ts"

/** The folder of a conversation that does not name it: each workspace of the editor lists its conversations. */
export function cursorWorkspace(userFolder: string, conversation: string): string | undefined {
  const storage = join(userFolder, "workspaceStorage")
  const workspace = listFolder(storage)
    .map((name) => join(storage, name))
    .find((path) => conversationsOf(join(path, "state.vscdb")).has(conversation))
  return workspace && workspaceFolder(workspace)
}

/** Cached per workspace until its file changes: hundreds of conversations query every workspace. */
const answers = new Map<string, { look: string; conversations: Set<string> }>()

function conversationsOf(path: string): Set<string> {
  const look = lookOf(path) + lookOf(`${path}-wal`)
  const known = answers.get(path)
  if (known?.look === look) return known.conversations
  const conversations = new Set(look === "" ? [] : listConversations(path))
  answers.set(path, { look, conversations })
  return conversations
}

/** Conversations of a workspace with an unreadable database have no folder. */
function listConversations(path: string): string[] {
  const row = lookIfReadable(path, { ItemTable: ["key", "value"] }, (database) =>
    database.prepare<{ value: unknown }>("SELECT value FROM ItemTable WHERE key = 'composer.composerData'").get(),
  )
  const data = parseValue(row?.value)
  const listed = objectsOf(data?.allComposers).flatMap(({ composerId }) => textOf(composerId) ?? [])
  return [...listed, ...textsOf(data?.selectedComposerIds)]
}
