import type { Command } from "commander"
import { commandGroup } from "../command.ts"

/** In help order. */
const commands: (() => Promise<Command>)[] = [
  async () => (await import("./team-membership.ts")).teamLoginCommand(),
  async () => (await import("./team-membership.ts")).teamStatusCommand(),
  async () => (await import("./team-membership.ts")).teamShareCommand(),
  async () => (await import("./team-membership.ts")).teamUnshareCommand(),
  async () => (await import("./team-membership.ts")).teamEpisodesCommand(),
  async () => (await import("./team-membership.ts")).teamSyncCommand(),
  async () => (await import("./team-membership.ts")).teamLeaveCommand(),
  async () => (await import("./team-serve.ts")).teamServeCommand(),
  async () => (await import("./team-serve.ts")).teamMigrateCommand(),
  async () => (await import("./team-serve.ts")).teamOrgCommand(),
  async () => (await import("./team-serve.ts")).teamInviteOwnerCommand(),
  async () => (await import("./team-serve.ts")).teamVerifyAuditCommand(),
]

export async function teamCommand(): Promise<Command> {
  const team = commandGroup(
    "team",
    "Share memory with your team over a server: sign in, share your memories, and use the team's.",
    "drey team login https://drey.example.com\ndrey team share m:4f2a91 --team payments\ndrey team status",
  )
  for (const load of commands) team.addCommand(await load())
  return team
}
