import { DreyError } from "../errors.ts"
import type { Query } from "../formats/query.ts"
import type { Timestamp } from "../formats/timestamp.ts"
import type { StoredItem } from "../index/index-store.ts"
import type { Evidence } from "../memories/memory.ts"
import type { JudgedName } from "../memories/staleness/name-verdict.ts"
import type { Project } from "../project.ts"
import type { Browse } from "../recall/browse/browse.ts"
import type { ItemExplanation } from "../recall/context/item-explanation.ts"
import type { EverythingOutcome, EverythingRequest } from "../recall/search/combined-search.ts"
import type { SearchHit, SearchRequest } from "../recall/search/item-search.ts"
import type { LearnedHit, LearnedSearch } from "../recall/search/learned-search.ts"
import type { Recent } from "../recall/search/recent-activity.ts"
import type { Reindexing } from "../recall/sync/index-rebuild.ts"
import type { ReadProblems } from "../recall/sync/origins.ts"
import type { StoreEntry } from "../team/team-entries.ts"
import { requireStore } from "../team/team-folder.ts"
import type { IndexProgress } from "./contexts.ts"
import { openStalenessOf } from "./memories.ts"
import { openPast, type Past, type PastItem } from "./past.ts"

export type EntriesResult = ReadProblems & { entries: StoreEntry[] }

/** What can be completed on a command line: agents, sessions, governed memories, learned memories, or everything `show` explains. */
export type NameKind = "agents" | "sessions" | "governed" | "learned" | "items"
export type NamedItem = { name: string; title: string }

/** `ended`: a learned memory that is no longer used, and what replaced it. */
export type WholeItem =
  | { kind: "read"; item: StoredItem; evidence: Evidence[] }
  | ({ kind: "past" } & PastItem)
  | { kind: "ended"; id: string; replacedBy: string[] }
  | { kind: "several"; ids: string[] }
  | { kind: "none" }

export type RecentRequest = {
  /** Only what this agent of the team wrote, and sessions in which it was handed a context; or a client by its id. */
  agent?: string | undefined
  forMs?: number | undefined
  limit?: number | undefined
  /** A session to leave out: the caller's own. */
  without?: string | undefined
}

/** `left`: changed transcripts that were not read; `problem`: why sessions are missing. */
export type Unread = { left: number; problem?: string }

/** Finds things in everything that is remembered. */
export type Search = {
  /**
   * The entries that match a query, newest first.
   * @example const { entries } = await drey.search.entries(parseQuery("type:decision"))
   */
  entries(query: Query, options?: { all?: boolean; asOf?: Timestamp }): Promise<EntriesResult>
  /**
   * Searches by words and by meaning, best first.
   * @example const { hits } = await drey.search.items({ text: "retries", limit: 5 })
   */
  items(
    request: SearchRequest,
    options?: IndexProgress,
  ): Promise<ReadProblems & { hits: SearchHit[]; unindexed?: number }>
  /**
   * `items` and governed memory in one audited list.
   * @example const { hits } = await drey.search.everything({ text: "retries" })
   */
  everything(request: EverythingRequest, options?: IndexProgress): Promise<EverythingOutcome>
  /**
   * Searches the learned memories of this project and of every project, best first.
   * @example const hits = await drey.search.learned({ text: "flaky test" })
   */
  learned(request: LearnedSearch): Promise<LearnedHit[]>
  /**
   * The source of an item, its status, what it names and where it was handed out.
   * @example const { explanation } = await drey.search.explain("sem-1a2b3c4d")
   */
  explain(
    id: string,
    request?: { task?: string | undefined; agent?: string | undefined },
  ): Promise<ReadProblems & { explanation: (ItemExplanation & { names: JudgedName[] }) | undefined }>
  /**
   * The ids that a typed id or prefix may mean; the leading `sem-` or `m-` may be omitted.
   * @example const { ids } = await drey.search.idsLike("1a2b")
   */
  idsLike(typed: string): Promise<ReadProblems & { ids: string[] }>
  /**
   * How ids are shown to a person: the shortest unique prefix of each, of at least four characters.
   * @example const shortOf = await drey.search.shortIds(hits.map(({ id }) => id))
   */
  shortIds(ids: readonly string[]): Promise<(id: string) => string>
  /**
   * One whole item by its id or a unique prefix; the read is audited.
   * @example const item = await drey.search.read("sem-1a2b", "alice")
   */
  read(typed: string, actor: string | undefined): Promise<WholeItem>
  /**
   * All names of a kind, for completion and for suggestions after a typo.
   * @example const agents = await drey.search.names("agents")
   */
  names(kind: NameKind): Promise<NamedItem[]>
  /**
   * What happened in the latest client sessions and what was written down then; undefined when nothing has a date.
   * @example const { recent } = await drey.search.recent({ limit: 3 })
   */
  recent(request?: RecentRequest): Promise<ReadProblems & { recent: Recent | undefined; unread: Unread }>
  /**
   * Rebuilds the search index. `deep` also computes the transformer's vectors.
   * @example await drey.search.reindex({ deep: true })
   */
  reindex(options?: { deep?: boolean; progress?: (done: number, total: number) => void }): Promise<Reindexing>
  /** Conversations and commits one by one, and what led to a line of code. */
  readonly past: Past
  /** Pages, counts and timelines of everything, as the browser app shows them. */
  readonly browse: Browse
}

const mostSessions = 50
const notTrusted = "this repository is not trusted yet, so its transcripts were not read; run drey trust first"
const live = { statuses: ["provisional", "active"] as const }

export function openSearch(project: Project): Search {
  const { recall, within, now } = project
  const past = openPast(project)
  const governed = async () => {
    const { governedMemory } = await import("../team/governed/governed-memory.ts")
    requireStore(project.store())
    return governedMemory(project.governedContext({ warn: project.warn }))
  }

  const items: Search["items"] = async (request, { progress } = {}) => {
    const { search } = await import("../recall/search/item-search.ts")
    const { answer, trouble, unindexed } = await (await recall()).ask(
      within((parts) => search(parts, request)),
      { sessions: true, past: true, progress },
    )
    return { hits: answer, unindexed, ...trouble }
  }

  const idsLike: Search["idsLike"] = async (typed) => {
    const { ask, idsLike } = await recall()
    const { answer, trouble } = await ask(
      within(async (parts) => (await parts.index.items(await idsLike(typed))).map(({ id }) => id)),
      { sessions: true },
    )
    return { ids: answer.length > 0 ? answer : await learnedLike(typed), ...trouble }
  }
  /**
   * Ended memories and those of other projects, which the index does not have: a prefix means one of them only if it means nothing current.
   * An agent gets only those of its own project.
   */
  const learnedLike = async (typed: string): Promise<string[]> => {
    const mayBeOne = /^\[?(?:m[-:])?[0-9a-f]{2,16}\]?$/.test(typed.trim())
    if (!mayBeOne || !project.learned() || (await project.isUntrusted())) return []
    const found = await (await project.learning()).find(typed, { here: project.options.automatic === true })
    return found.map(({ id }) => id)
  }

  /** Client sessions, after new transcript records were read. A store that cannot be opened hides nothing else. */
  const clientSessions = async ({ agent, forMs, limit, without }: RecentRequest) => {
    try {
      const { catchUp, sessions } = await project.learning()
      const isTrusted = (await project.trust()).kind === "trusted"
      const { left, problem } = isTrusted ? await catchUp() : { left: 0, problem: notTrusted }
      const found = await sessions({
        limit: limit ?? (forMs === undefined ? 1 : mostSessions),
        without,
        since: forMs === undefined ? undefined : new Date(now().getTime() - forMs).toISOString(),
        of: agent === undefined ? undefined : { client: agent.toLowerCase(), sessions: await sessionsOfAgent(agent) },
      })
      return {
        sessions: isTrusted ? found : found.map((each) => ({ ...each, learned: [] })),
        unread: { left, ...(problem === undefined ? {} : { problem }) },
      }
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      return { sessions: [], unread: { left: 0, problem: error.message } }
    }
  }
  const sessionsOfAgent = async (agent: string): Promise<string[]> => {
    const { readContexts } = await import("../recall/context/context-log.ts")
    const { loggedAgent } = await import("../recall/context/context-log.ts")
    const { place } = await recall()
    const name = loggedAgent(agent)
    return readContexts(place.contexts).flatMap((each) => (each.agent === name && each.session ? [each.session] : []))
  }

  /** A rebuilt index is useful even where the staleness notes cannot be written. */
  const refreshStaleness = async () => {
    try {
      await (await openStalenessOf(project)).judge()
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      project.warn(`staleness was not checked: ${error.message}`)
    }
  }

  return {
    async entries(query, { all = false, asOf } = {}) {
      const { listEntries } = await import("../recall/search/item-lists.ts")
      const selection = { query, all, ...(asOf === undefined ? {} : { asOf }) }
      const { answer, trouble } = await (await recall()).ask((parts) => listEntries(parts, selection))
      return { entries: answer, ...trouble }
    },
    items,
    async everything(request, options) {
      const { searchEverything } = await import("../recall/search/combined-search.ts")
      const find = async (wanted: SearchRequest) => (await items(wanted, options)).hits
      return searchEverything(request, await governed(), find)
    },
    async learned(request) {
      const { searchEnded, searchLearned } = await import("../recall/search/learned-search.ts")
      if (request.status !== "deprecated")
        return (await (await recall()).ask(within((parts) => searchLearned(parts, request)))).answer
      if (await project.isUntrusted()) return []
      const { memories, project: here } = await project.learning()
      return searchEnded(await memories({ project: here.id, statuses: ["deprecated"] }), request)
    },
    async explain(id, request) {
      const { explainItem } = await import("../recall/context/item-explanation.ts")
      const { ask, place } = await recall()
      const { answer, trouble } = await ask((parts) => explainItem(parts, place.contexts, id, request), {
        sessions: true,
      })
      if (!answer) return { explanation: undefined, ...trouble }
      const { isAboutRepository } = await import("../recall/search/item-lists.ts")
      const names = isAboutRepository(answer.item) ? await (await openStalenessOf(project)).namesIn(answer.item) : []
      return { explanation: { ...answer, names }, ...trouble }
    },
    idsLike,
    async shortIds(ids) {
      const { shortestIds } = await import("../recall/search/item-search.ts")
      return shortestIds(ids, (await recall()).idsLike)
    },
    async read(typed, actor) {
      const { ids } = await idsLike(typed)
      const [id] = ids
      if (id === undefined) {
        const { found, ids: inPast } = await past.open(typed)
        if (!found) return inPast.length > 1 ? { kind: "several", ids: inPast } : { kind: "none" }
        await (await governed()).noteReads([found.item.id], actor)
        return { kind: "past", ...found }
      }
      if (ids.length > 1) return { kind: "several", ids }
      const [item] = (await (await recall()).ask(within((parts) => parts.index.items([id])))).answer
      if (item?.load === "NEVER") return { kind: "none" }
      if (!item) {
        const { memories, project: here } = await project.learning()
        const replacing = (await memories({ project: here.id, ...live })).filter(
          ({ derivedFrom }) => derivedFrom === id,
        )
        return { kind: "ended", id, replacedBy: replacing.map((memory) => memory.id) }
      }
      await (await governed()).noteReads([id], actor)
      const isLearned = item.source === "learned" && !(await project.isUntrusted())
      return { kind: "read", item, evidence: isLearned ? (await (await project.learning()).explain(id)).evidence : [] }
    },
    async names(kind) {
      if (kind === "sessions") {
        const { sessionIds } = await import("../sessions/session-list.ts")
        return sessionIds(project.sessionsFolder()).map((name) => ({ name, title: "" }))
      }
      if (kind === "agents") {
        const { readRoster } = await import("../team/team-files.ts")
        return [...readRoster(requireStore(project.store())).values()].map((name) => ({ name, title: "" }))
      }
      if (kind === "governed") return (await governed()).list().map(({ id, title }) => ({ name: id, title }))
      const memories = project.learned() ? await (await project.learning()).memories() : []
      const named = memories.map(({ id, text }) => ({ name: id, title: text }))
      if (kind === "learned") return named
      const { readStore } = await import("../team/team-entries.ts")
      const { entries } = readStore(requireStore(project.store()), now())
      return [...entries.map(({ id, entry }) => ({ name: id, title: entry.title })), ...named]
    },
    async recent(request = {}) {
      const { findRecent } = await import("../recall/search/recent-activity.ts")
      const { ask } = await recall()
      const isSeen = !(await project.isUntrusted()) // session notes that come with a clone are not work done here
      const { sessions, unread } = await clientSessions(request)
      const places = { store: project.store(), sessions: isSeen ? project.sessionsIfAny() : undefined }
      const stretch = { agent: request.agent, forMs: request.forMs, isSince: request.limit !== undefined, sessions }
      const { answer, trouble } = await ask((parts) => findRecent(parts, places, stretch), { sessions: isSeen })
      return { recent: answer && (isSeen ? answer : { ...answer, notes: [], open: [] }), unread, ...trouble }
    },
    async reindex({ deep = false, progress } = {}) {
      const { reindex } = await import("../recall/sync/index-rebuild.ts")
      const { openDeepEmbedder } = await import("../recall/sync/synced-recall.ts")
      const { index, mending, indexPast } = await recall()
      const writable = await index()
      const embed = deep ? await openDeepEmbedder() : undefined
      const sources = { sessions: project.sessionsIfAny(), learned: project.learned }
      const reindexing = await mending(() =>
        reindex(writable, project.store(), { now, ...sources, deep: embed, progress }),
      )
      await indexPast({ again: true, progress })
      await refreshStaleness()
      return reindexing
    },
    past,
    browse: browseOf(project),
  }
}

/** Opened with the first question, then kept: its catalogue is expensive to build. */
function browseOf(project: Project): Browse {
  let opened: Browse | undefined
  const browse = async () => {
    const { openBrowse } = await import("../recall/browse/browse.ts")
    const learning = async () => (project.learned() ? project.learning() : undefined)
    opened ??= openBrowse({
      recall: project.recall,
      store: project.store,
      now: project.now,
      compareTasks: async () =>
        (await (await learning())?.comparison()) ?? { withMemory: null, withoutMemory: null, tasks: 0 },
      learned: {
        stamp: async () => (await project.learned()?.stamp()) ?? "",
        read: async () => (await (await learning())?.memories()) ?? [],
      },
      explainMemory: async (id) => (await learning())?.explain(id),
      learnedWith: async (episode) => (await (await project.learning()).memories({ episode })).map(({ id }) => id),
    })
    return opened
  }
  return {
    items: async (query, page) => (await browse()).items(query, page),
    timeline: async (query) => (await browse()).timeline(query),
    describe: async (id) => (await browse()).describe(id),
    preview: async (request) => (await browse()).preview(request),
    agentNames: async () => (await browse()).agentNames(),
    agents: async () => (await browse()).agents(),
    agent: async (name) => (await browse()).agent(name),
    usesStamp: async () => (await browse()).usesStamp(),
    stock: async () => (await browse()).stock(),
    catalogue: async () => (await browse()).catalogue(),
  }
}
