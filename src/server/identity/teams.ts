import { randomBytes } from "node:crypto"
import { changeMemory } from "../../memories/memory-rows.ts"
import { tenantIdOf } from "../../memories/postgres/tenancy.ts"
import { all, one, run, type Steps } from "../../memories/steps.ts"
import type { TeamSummary } from "../api.ts"
import { refuse, refuseUnknown } from "../refusal.ts"
import type { TeamCaller } from "./caller.ts"
import { notifyRevoked } from "./credentials.ts"
import { memberById } from "./members.ts"
import { addTeamAudit } from "./team-audit.ts"

const teamColumns = `team_id AS id, name,
  (SELECT count(*) FROM team_members WHERE team_members.team_id = teams.team_id) AS members`

export function* listTeams(): Steps<TeamSummary[]> {
  return yield* all<TeamSummary>(`SELECT ${teamColumns} FROM teams ORDER BY lower(name), team_id`)
}

function* teamById(id: string): Steps<TeamSummary> {
  const team = yield* one<TeamSummary>(`SELECT ${teamColumns} FROM teams WHERE team_id = ?`, id)
  return team ?? refuseUnknown("team")
}

export function* addTeam(caller: TeamCaller, name: string, now: string): Steps<TeamSummary> {
  if (yield* one("SELECT 1 FROM teams WHERE lower(name) = lower(?)", name))
    refuse(409, "name-taken", "A team with this name already exists.")
  const id = `t-${randomBytes(8).toString("hex")}`
  yield* run("INSERT INTO teams (team_id, name, created_at) VALUES (?, ?, ?)", id, name, now)
  yield* addTeamAudit({ actor: caller.member.name, action: "team made", subject: id }, now)
  return { id, name, members: 0 }
}

/** The team's memories end with it but stay on record. */
export function* removeTeam(caller: TeamCaller, id: string, now: string): Steps<void> {
  yield* teamById(id)
  const live = yield* all<{ id: string }>(
    "SELECT memory_id AS id FROM memories WHERE owner_type = 'team' AND owner_id = ? AND status <> 'deprecated'",
    id,
  )
  const note = { action: "forgotten", reason: "its team was dissolved", now }
  for (const memory of live) yield* changeMemory(memory.id, { status: "deprecated" }, note)
  yield* run("DELETE FROM teams WHERE team_id = ?", id)
  yield* addTeamAudit({ actor: caller.member.name, action: "team removed", subject: id }, now)
  yield* notifyRevoked(caller.slug)
}

export type Membership = { team: string; member: string }

export function* joinTeam(caller: TeamCaller, { team, member }: Membership, now: string): Steps<void> {
  yield* teamById(team)
  if (!(yield* memberById(member))) refuseUnknown("member")
  const sql = "INSERT INTO team_members (team_id, member_id) VALUES (?, ?) ON CONFLICT DO NOTHING"
  if ((yield* run(sql, team, member)) === 0) return
  yield* noteMembership(caller, { action: `joined ${team}`, team, member }, now)
}

export function* leaveTeam(caller: TeamCaller, { team, member }: Membership, now: string): Steps<void> {
  yield* teamById(team)
  if ((yield* run("DELETE FROM team_members WHERE team_id = ? AND member_id = ?", team, member)) === 0)
    refuseUnknown("member")
  yield* noteMembership(caller, { action: `left ${team}`, team, member }, now)
}

function* noteMembership(
  caller: TeamCaller,
  { action, team, member }: Membership & { action: string },
  now: string,
): Steps<void> {
  yield* touchMemories(team, caller.slug)
  yield* addTeamAudit({ actor: caller.member.name, action, subject: member }, now)
  yield* notifyRevoked(caller.slug)
}

/** Clients pull only changes: for someone who joined or left, all of the team's memories have changed. */
function* touchMemories(team: string, slug: string): Steps<void> {
  const touched = yield* run(
    `UPDATE memory_changes SET seq = renewed.seq FROM (
       SELECT memory_id, (SELECT seq FROM organisations) + row_number() OVER (ORDER BY seq, memory_id) AS seq
       FROM memory_changes WHERE owner_type = 'team' AND owner_id = ?
     ) AS renewed WHERE memory_changes.memory_id = renewed.memory_id`,
    team,
  )
  yield* run("UPDATE organisations SET seq = seq + ?", touched)
  yield* all("SELECT pg_notify('drey_changed', ?)", tenantIdOf(slug))
}
