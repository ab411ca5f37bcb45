import { withLock } from "../../disk/lock.ts"
import { DreyError, exitCode, severalIds } from "../../errors.ts"
import { learnedPath } from "../../store/learned-path.ts"
import type { LearnedStore } from "../../store/learned-store.ts"
import type { Memory } from "../../store/memory.ts"
import type { EpisodeConsent } from "../../store/team-episodes.ts"
import { type TeamCounts, teamLedger } from "../../store/team-ledger.ts"
import { type Login, readLogin, removeLogin } from "./login-file.ts"
import { noteAgreements } from "./push-episodes.ts"
import { pushShares, type ShareResult } from "./push-shares.ts"
import { readTeamStatus, type TeamStatus } from "./read-team-status.ts"
import { type Sharing, shareMemory } from "./share-memory.ts"
import { type LoginRequest, signIn } from "./sign-in.ts"
import { neverSynced, readSyncState, writeSyncState } from "./sync-state.ts"
import { type Syncing, syncIfFree, syncLock, syncTeam } from "./sync-team.ts"
import { teamServer } from "./team-server.ts"

/** What is to be shared, with whom, and under whose name: to be looked at before anything is sent. */
export type SharePlan = {
  memories: Sharing[]
  with: string
  attributedTo: string
  /** Where this machine has the projects, by their ids. */
  roots: Record<string, string>
}

/** The memory that a team shares, as one user has it. Everything but signing in goes by the login on this machine. */
export type Team = {
  /** Signs in and syncs once. */
  login(request: LoginRequest): Promise<{ login: Omit<Login, "token">; syncing: Syncing }>
  /** How things stand, by what this machine knows: nobody is asked. */
  status(): Promise<TeamStatus>
  /** What sharing these memories would send; nothing is. `team` is its name or id; without one, it is the whole organisation. */
  planShare(ids: readonly string[], options?: { team?: string | undefined }): Promise<SharePlan>
  /** Sends what the plan shows; what cannot be sent now waits. */
  share(plan: SharePlan): Promise<ShareResult>
  /** Takes back what was shared: named by the memory itself or by the team's copy. */
  unshare(ids: readonly string[], options?: { reason?: string }): Promise<ShareResult>
  /**
   * Lets the team have the episodes of this project that begin from now on, or from a time on that is given. They go with the next sync
   * if the team has agreed as well, which its server is asked.
   */
  allowEpisodes(options?: { from?: Date | undefined }): Promise<EpisodeConsent>
  /** No more of them go; what the team has, it has. Returns whether any would have gone. */
  forbidEpisodes(): Promise<boolean>
  /** Tells the server what happened here, and takes in what happened there. */
  sync(): Promise<Syncing>
  /** The same for who has something else to do: undefined where another process is at it, or nobody is signed in. */
  syncIfFree(options?: { signal?: AbortSignal }): Promise<Syncing | undefined>
  /** Removes the copies and the login; what is the user's own stays. Refuses while something waits, unless that may go. */
  leave(options?: { dropWaiting?: boolean }): Promise<{ copies: number; dropped: number }>
  close(): Promise<void>
}

export type TeamOptions = {
  home: string
  store: Pick<LearnedStore, "find" | "projects">
  /** The ids of the projects that this machine knows. */
  projects(): Promise<string[]>
  /** The id of the one at hand. */
  project(): Promise<string>
  /** The user's own folder on this machine. */
  userHome: string
  now: () => Date
}

export function openTeam({ home, store, projects, project, userHome, now }: TeamOptions): Team {
  const ledger = teamLedger(learnedPath(home))
  const requireLogin = (): Login => {
    const login = readLogin(home)
    if (login) return login
    throw new DreyError("You are not signed in to a team", {
      hint: "drey team login URL signs you in.",
      exitCode: exitCode.no,
    })
  }
  const sync = (login: Login) => syncTeam({ home, login, ledger, userHome, projects, now })
  const push = (login: Login, wanted: readonly string[]) => pushShares({ home, login, ledger }, wanted)
  return {
    async login(request) {
      const login = await signIn(home, request)
      writeSyncState(home, neverSynced)
      const { token: _, ...shown } = login
      return { login: shown, syncing: await sync(login) }
    },
    status: () => readTeamStatus(home, ledger),
    async planShare(ids, { team } = {}) {
      const login = requireLogin()
      const to = team === undefined ? null : requireTeam(login, team)
      const memories = []
      for (const id of ids) memories.push(shareMemory(await requireMemory(store, id), to))
      const shared = to === null ? `everybody in ${login.organisation.name}` : `team ${login.teams[to] ?? to}`
      const roots = Object.fromEntries((await store.projects()).map(({ id, root }) => [id, root]))
      return { memories, with: shared, attributedTo: login.member.name, roots }
    },
    async share({ memories }) {
      const login = requireLogin()
      const ready = memories.flatMap((each) => (each.kind === "ready" ? [each.memory] : []))
      for (const memory of ready) await ledger.putShare(memory)
      const result = await push(
        login,
        ready.map(({ sourceMemory }) => sourceMemory),
      )
      const here = memories.flatMap((each) =>
        each.kind === "refused" ? [{ memory: each.id, reason: each.reason }] : [],
      )
      return { ...result, refused: [...here, ...result.refused] }
    },
    async unshare(ids, { reason = "a member asked for it" } = {}) {
      const login = requireLogin()
      const taken: string[] = []
      const wanted: string[] = []
      for (const name of ids) {
        const id = (await findOne(store, name))?.id ?? name
        if ((await ledger.putUnshare(id, reason)) === "taken back") taken.push(id)
        else wanted.push(id)
      }
      const result = await push(login, wanted)
      return { ...result, unshared: [...taken, ...result.unshared] }
    },
    async allowEpisodes({ from } = {}) {
      const login = requireLogin()
      const id = await project()
      await ledger.consent(id, { from: from?.toISOString(), now: now().toISOString() })
      await noteAgreements(ledger, teamServer(login)) // a server that does not answer is asked with the next sync
      const consent = (await ledger.consents()).find((each) => each.project === id)
      if (!consent) throw new Error(`the consent for ${id} was not kept`)
      return consent
    },
    async forbidEpisodes() {
      requireLogin()
      return ledger.withdrawConsent(await project())
    },
    async sync() {
      const login = requireLogin()
      const { isLimited, dueAt, problem } = readSyncState(home)
      if (isLimited && problem && Date.parse(dueAt) > now().getTime())
        throw new DreyError(problem.message, { hint: `Try again after ${dueAt}.`, exitCode: exitCode.no })
      return sync(login)
    },
    async syncIfFree({ signal } = {}) {
      const login = readLogin(home)
      return login && syncIfFree({ home, login, ledger, userHome, projects, now, signal })
    },
    async leave({ dropWaiting = false } = {}) {
      requireLogin()
      return withLock(syncLock(home), async () => {
        const { use, share, unshare } = (await ledger.counts()).waiting
        const waiting = use + share + unshare
        if (waiting > 0 && !dropWaiting)
          throw new DreyError(`The team server has not been told yet of ${waitingWords({ use, share, unshare })}`, {
            hint: "drey team sync tells it.",
            exitCode: exitCode.no,
          })
        const copies = await ledger.drop()
        removeLogin(home) // last: whoever is killed before that can leave again
        writeSyncState(home, neverSynced)
        return { copies, dropped: waiting }
      })
    },
    close: () => ledger.close(),
  }
}

/** `3 uses, 1 share`. */
export function waitingWords({ use, share, unshare }: TeamCounts["waiting"]): string {
  const words = (number: number, one: string, many: string) =>
    number === 0 ? [] : [`${number} ${number === 1 ? one : many}`]
  return [
    ...words(use, "use", "uses"),
    ...words(share, "share", "shares"),
    ...words(unshare, "withdrawal", "withdrawals"),
  ].join(", ")
}

function requireTeam({ teams, organisation }: Login, name: string): string {
  const [id] =
    Object.entries(teams).find(([id, known]) => id === name || known.toLowerCase() === name.toLowerCase()) ?? []
  if (id !== undefined) return id
  const names = Object.values(teams)
  throw new DreyError(`${organisation.name} has no team ${name}`, {
    hint: names.length === 0 ? "Without --team it is shared with everybody there." : `One of ${names.join(", ")}.`,
    exitCode: exitCode.no,
  })
}

async function findOne(store: TeamOptions["store"], name: string): Promise<Memory | undefined> {
  const [memory, ...others] = await store.find(name)
  if (others.length === 0) return memory
  throw severalIds(
    name,
    [memory, ...others].flatMap((each) => each?.id ?? []),
  )
}

async function requireMemory(store: TeamOptions["store"], name: string): Promise<Memory> {
  const memory = await findOne(store, name)
  if (memory) return memory
  throw new DreyError(`No memory has the id ${name}`, { exitCode: exitCode.no })
}
