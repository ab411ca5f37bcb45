import { existsSync } from "node:fs"
import { isAbsolute, relative, resolve, sep } from "node:path"
import { ambiguousId, DreyError, exitCode } from "../errors.ts"
import type { StoredItem } from "../index/index-store.ts"
import type { Replay } from "../learning/replay.ts"
import type { Project } from "../project.ts"
import type { CommitPayload, ConversationPayload } from "../recall/payload.ts"
import type { LineOrigin } from "../recall/search/origin-of-line.ts"
import type { HistoryState, PastOptions } from "../recall/sync/past-index.ts"

/** A conversation with the commits made in it, or a commit with the conversations that led to it. */
export type PastItem = { item: StoredItem; told: ConversationPayload | CommitPayload; linked: StoredItem[] }

/** What was said and done: conversations and commits. They are searched with everything else. */
export type Past = {
  /**
   * A conversation or commit by its id or a unique prefix, with what it is linked to; several ids if it is ambiguous.
   * @example const { found } = await drey.search.past.open("1a2b3c4d5e6f")
   */
  open(typed: string): Promise<{ found: PastItem | undefined; ids: string[] }>
  /**
   * The newest conversations.
   * @example const [last] = await drey.search.past.conversations(20)
   */
  conversations(limit: number): Promise<StoredItem[]>
  /**
   * The steps of a conversation from its transcript.
   * @example const { steps } = await drey.search.past.replay("ep-2026-03-01-0123456789ab")
   */
  replay(id: string): Promise<Replay>
  /**
   * Why a line or a file is as it is: blame, commit, conversation, decision.
   * @example const { commits } = await drey.search.past.trace("src/login.ts", 12)
   */
  trace(file: string, line?: number): Promise<LineOrigin>
  /**
   * Removes what was said in these conversations; what was learned from them stays.
   * @example await drey.search.past.forget(["ep-2026-03-01-0123456789ab"])
   */
  forget(ids: readonly string[]): Promise<string[]>
  /**
   * Indexes all conversations and commits; a search does so for a moment only.
   * @example await drey.search.past.index()
   */
  index(options?: PastOptions): Promise<void>
  /**
   * How many commits are indexed, and how many will be.
   * @example const { indexed, total } = await drey.search.past.state()
   */
  state(): Promise<HistoryState>
}

export function openPast(project: Project): Past {
  const { recall, root } = project
  const open: Past["open"] = async (typed) => {
    const { commitOf, commitsOf, conversationOf, conversationsOf } = await import("../recall/search/origin-of-line.ts")
    const { answer } = await (await recall()).ask(
      async ({ past }) => {
        // git's own ids are longer than those of the index
        const ids = (await past?.idsLike(typed.trim().replace(/^([0-9a-f]{12})[0-9a-f]{1,52}$/, "$1"))) ?? []
        const [item] = ids.length === 1 ? ((await past?.items(ids)) ?? []) : []
        const told = item && (conversationOf(item) ?? commitOf(item))
        if (!past || !told) return { found: undefined, ids }
        const linked = await (told.kind === "commit" ? conversationsOf : commitsOf)(past, item)
        return { found: { item, told, linked }, ids }
      },
      { past: true },
    )
    return answer
  }
  const requireOne = async (typed: string): Promise<PastItem> => {
    const { found, ids } = await open(typed)
    if (found) return found
    if (ids.length > 1) throw ambiguousId(typed, ids)
    throw new DreyError(`No conversation has the id ${typed}`, {
      hint: "Run drey search --source conversation to find ids.",
      exitCode: exitCode.no,
    })
  }
  return {
    open,
    async conversations(limit) {
      const { answer } = await (await recall()).ask(
        async ({ past, now }) =>
          (await past?.select({ sources: ["conversation"] }, { now: now().getTime(), limit })) ?? [],
        { past: true },
      )
      return answer
    },
    replay: async (id) => (await project.learning()).replay(id),
    async trace(file, line) {
      const path = resolve(root, file)
      const inside = relative(root, path).split(sep).join("/")
      if (inside.startsWith("../") || isAbsolute(inside)) throw new DreyError(`${file} is not in this repository`)
      if (line !== undefined && !existsSync(path)) throw new DreyError(`${file} does not exist`)
      const { traceLine } = await import("../recall/search/origin-of-line.ts")
      const { answer } = await (await recall()).ask(
        project.within((parts) => traceLine(parts, root, { file: inside, line })),
        { past: true },
      )
      return answer
    },
    async forget(typed) {
      const ids = []
      for (const each of typed) ids.push((await requireOne(each)).item.id)
      const forgotten = await (await project.learning()).forgetConversations(ids)
      await (await recall()).indexPast() // its words leave the disk now
      return forgotten
    },
    index: async (options) => (await recall()).indexPast(options),
    state: async () => (await recall()).historyState(),
  }
}
