import type { EpisodeConsent } from "../../store/team-episodes.ts"
import type { TeamCounts, TeamLedger } from "../../store/team-ledger.ts"
import { type Login, readLogin } from "./login-file.ts"
import { readSyncState, type SyncState } from "./sync-state.ts"

export type TeamStatus =
  | { kind: "signed out" }
  | ({ kind: "signed in"; episodes: EpisodeConsent[] } & Omit<Login, "token"> &
      TeamCounts &
      Pick<SyncState, "syncedAt" | "problem" | "droppedUses">)

/** The status from local files, without the token. */
export async function readTeamStatus(home: string, ledger: TeamLedger): Promise<TeamStatus> {
  const login = readLogin(home)
  if (!login) return { kind: "signed out" }
  const { token: _, ...shown } = login
  const { syncedAt, problem, droppedUses } = readSyncState(home)
  const episodes = await ledger.consents()
  return { kind: "signed in", ...shown, ...(await ledger.counts()), episodes, syncedAt, problem, droppedUses }
}
