import type { TeamCounts, TeamLedger } from "../../store/team-ledger.ts"
import { type Login, readLogin } from "./login-file.ts"
import { readSyncState, type SyncState } from "./sync-state.ts"

export type TeamStatus =
  | { kind: "signed out" }
  | ({ kind: "signed in" } & Omit<Login, "token"> & TeamCounts & Pick<SyncState, "syncedAt" | "problem">)

/** How things stand by what this machine knows; the token is nobody's business. */
export async function readTeamStatus(home: string, ledger: TeamLedger): Promise<TeamStatus> {
  const login = readLogin(home)
  if (!login) return { kind: "signed out" }
  const { token: _, ...shown } = login
  const { syncedAt, problem } = readSyncState(home)
  return { kind: "signed in", ...shown, ...(await ledger.counts()), syncedAt, problem }
}
