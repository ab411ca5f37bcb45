import type { Command } from "commander"
import { commandGroup } from "../command.ts"

/** In help order. */
const commands: (() => Promise<Command>)[] = [
  async () => (await import("./team-login.ts")).teamLoginCommand(),
  async () => (await import("./team-status.ts")).teamStatusCommand(),
  async () => (await import("./team-share.ts")).teamShareCommand(),
  async () => (await import("./team-unshare.ts")).teamUnshareCommand(),
  async () => (await import("./team-episodes.ts")).teamEpisodesCommand(),
  async () => (await import("./team-sync.ts")).teamSyncCommand(),
  async () => (await import("./team-leave.ts")).teamLeaveCommand(),
  async () => (await import("./team-serve.ts")).teamServeCommand(),
  async () => (await import("./team-migrate.ts")).teamMigrateCommand(),
  async () => (await import("./team-org.ts")).teamOrgCommand(),
  async () => (await import("./team-invite-owner.ts")).teamInviteOwnerCommand(),
  async () => (await import("./team-verify-audit.ts")).teamVerifyAuditCommand(),
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
