import { withLock } from "../../disk/lock.ts"
import { ambiguousId, DreyError, exitCode } from "../../errors.ts"
import type { LearnedStore } from "../../memories/learned-store.ts"
import { learnedPath } from "../../memories/ledger.ts"
import type { Memory } from "../../memories/memory.ts"
import { type Login, readLogin, removeLogin, writeLogin } from "./login.ts"
import { noteAgreements } from "./push.ts"
import { errorOf, serverAddress, teamServer } from "./requests.ts"
import { pushShares, type ShareDraft, type ShareResult, shareMemory } from "./shares.ts"
import { readTeamStatus, type TeamStatus } from "./status.ts"
import {
  loginOf,
  namesOf,
  neverSynced,
  readSyncState,
  type SyncResult,
  syncIfFree,
  syncLock,
  syncTeam,
  writeSyncState,
} from "./sync.ts"
import { type EpisodeConsent, type TeamCounts, teamLedger } from "./team-ledger.ts"

/** A preview of a share: what is sent, to whom, and under which name. */
export type SharePlan = {
  memories: ShareDraft[]
  with: string
  attributedTo: string
  /** Local paths of the projects, by id. */
  roots: Record<string, string>
}

/** A team's shared memory on a member's machine. Everything except `login` uses the stored login. */
export type TeamClient = {
  /**
   * Signs in and syncs once.
   * @example const { syncing } = await drey.server.login({ server: "https://drey.example.com", token })
   */
  login(request: LoginRequest): Promise<{ login: Omit<Login, "token">; syncing: SyncResult }>
  /**
   * The local status; no request is made.
   * @example const isSignedIn = (await drey.server.status()).kind === "signed in"
   */
  status(): Promise<TeamStatus>
  /**
   * Previews a share without sending it. `team` is a name or id; without it, the whole organisation.
   * @example const plan = await drey.server.planShare(["m:4f2a91"], { team: "payments" })
   */
  planShare(ids: readonly string[], options?: { team?: string | undefined }): Promise<SharePlan>
  /**
   * Sends a plan; what cannot be sent now is queued.
   * @example const result = await drey.server.share(plan)
   */
  share(plan: SharePlan): Promise<ShareResult>
  /**
   * Withdraws shared memories, named by their own id or by the team copy's id.
   * @example await drey.server.unshare(["m:4f2a91"], { reason: "Out of date" })
   */
  unshare(ids: readonly string[], options?: { reason?: string }): Promise<ShareResult>
  /**
   * Uploads this project's episodes that start from now (or `since`) on, with the next sync, if the team has enabled episodes for the
   * project as well.
   * @example await drey.server.allowEpisodes()
   */
  allowEpisodes(options?: { from?: Date | undefined }): Promise<EpisodeConsent>
  /**
   * Stops uploading; uploaded episodes stay with the team. Returns whether uploads were enabled.
   * @example const wereAllowed = await drey.server.forbidEpisodes()
   */
  forbidEpisodes(): Promise<boolean>
  /**
   * Pushes local events, then pulls the server's changes.
   * @example const result = await drey.server.sync()
   */
  sync(): Promise<SyncResult>
  /**
   * Syncs unless another process is syncing or the user is not signed in; then returns undefined.
   * @example const result = await drey.server.syncIfFree()
   */
  syncIfFree(options?: { signal?: AbortSignal }): Promise<SyncResult | undefined>
  /**
   * Removes the team's copies and the login; the user's own memories stay. Refuses while events are unsent, unless forced.
   * @example const { copies } = await drey.server.leave()
   */
  leave(options?: { dropWaiting?: boolean }): Promise<{ copies: number; dropped: number }>
  /**
   * Closes its connection to the learned memory.
   * @example await team.close()
   */
  close(): Promise<void>
}

export type TeamOptions = {
  home: string
  store: Pick<LearnedStore, "find" | "projects">
  /** Ids of the projects known on this machine. */
  projects(): Promise<string[]>
  /** Id of the current project. */
  project(): Promise<string>
  /** The user's home folder. */
  userHome: string
  now: () => Date
}

export function openTeam({ home, store, projects, project, userHome, now }: TeamOptions): TeamClient {
  const ledger = teamLedger(learnedPath(home))
  const requireLogin = (): Login => {
    const login = readLogin(home)
    if (login) return login
    throw new DreyError("You are not signed in to a team", {
      hint: "Sign in with: drey team login URL",
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
      const shared = to === null ? `everyone in ${login.organisation.name}` : `team ${login.teams[to] ?? to}`
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
        if ((await ledger.putUnshare(id, reason)) === "cancelled") taken.push(id)
        else wanted.push(id)
      }
      const result = await push(login, wanted)
      return { ...result, unshared: [...taken, ...result.unshared] }
    },
    async allowEpisodes({ from } = {}) {
      const login = requireLogin()
      const id = await project()
      await ledger.consent(id, { from: from?.toISOString(), now: now().toISOString() })
      await noteAgreements(ledger, teamServer(login)) // if the server does not respond, the next sync asks again
      const consent = (await ledger.consents()).find((each) => each.project === id)
      if (!consent) throw new Error(`the consent for ${id} was not stored`)
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
          throw new DreyError(`Not yet sent to the team server: ${waitingWords({ use, share, unshare })}`, {
            hint: "Send them with: drey team sync",
            exitCode: exitCode.no,
          })
        const copies = await ledger.drop()
        removeLogin(home) // last: if the process is killed earlier, leaving can be repeated
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
    hint:
      names.length === 0
        ? "Omit --team to share with everyone in the organisation."
        : `Its teams: ${names.join(", ")}.`,
    exitCode: exitCode.no,
  })
}

async function findOne(store: TeamOptions["store"], name: string): Promise<Memory | undefined> {
  const [memory, ...others] = await store.find(name)
  if (others.length === 0) return memory
  throw ambiguousId(
    name,
    [memory, ...others].flatMap((each) => each?.id ?? []),
  )
}

async function requireMemory(store: TeamOptions["store"], name: string): Promise<Memory> {
  const memory = await findOne(store, name)
  if (memory) return memory
  throw new DreyError(`No memory has the id ${name}`, { exitCode: exitCode.no })
}

export type LoginRequest = {
  server: string
  token: string
  /** Allows an address that is not encrypted. */
  insecure?: boolean | undefined
}

/** Looks up the token's owner and stores the token in a file that only this user can read. */
async function signIn(home: string, { server: given, token: text, insecure = false }: LoginRequest): Promise<Login> {
  const server = serverAddress(given, { insecure })
  const token = text.trim()
  if (!/^[\x21-\x7e]{8,500}$/.test(token))
    throw new DreyError("Invalid token", { hint: "Paste the token exactly as shown when it was created." })
  const asked = teamServer({ server, token })
  const me = await asked.me()
  if (me.kind === "refused" && me.status === 401)
    throw new DreyError(`${server} rejected the token`, {
      hint: "It may have expired or belong to another server. Create a new one in the team's app.",
      exitCode: exitCode.no,
    })
  if (me.kind !== "answered") throw errorOf(me, server)
  requireSameMember(home, server, me.value.member.id)
  const login = loginOf(me.value, { server, token, teams: namesOf(await asked.teams(), {}) })
  writeLogin(home, login)
  return login
}

/** Members must not see each other's memories: signing in as another member requires leaving first. */
function requireSameMember(home: string, server: string, member: string): void {
  const before = readLogin(home)
  if (!before || (before.server === server && before.member.id === member)) return
  throw new DreyError(
    `You are signed in as ${before.member.name} of ${before.organisation.name} at ${before.server}; this token belongs to another account`,
    { hint: "Run drey team leave first. Your own memories stay.", exitCode: exitCode.no },
  )
}
