import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import { dropUnseen } from "../../formats/drop-unseen.ts"
import { askSecret } from "../ask.ts"
import { command } from "../command.ts"
import { type CommonOptions, print } from "../print.ts"
import { syncText, tellProblem } from "../show-team.ts"

type Options = CommonOptions & { token?: string; insecure?: boolean }

export function teamLoginCommand(): Command {
  return command(
    "login",
    "Sign in to a team server with a personal access token, which the team's app makes. It is asked for, or read from stdin, and kept where only you can read it; then everything that the team shares for your projects is copied here.",
    "drey team login https://drey.example.com\ndrey team login https://drey.example.com < token.txt",
  )
    .argument("<url>", "the address of the server")
    .option("--token <token>", "the token; others may see it in the list of processes, so stdin is better")
    .option("--insecure", "allow a server elsewhere that is not encrypted")
    .action(logIn)
}

async function logIn(server: string, options: Options): Promise<void> {
  const token = options.token ?? (await askSecret("Token: "))
  const drey = openDrey(options)
  const { login, syncing } = await drey.server.login({ server, token, insecure: options.insecure })
  await drey.close()
  const { organisation, member } = login
  print(
    options,
    () => ({ ...login, syncing }),
    () => `${dropUnseen(`Signed in to ${organisation.name} as ${member.name}, ${member.role}.`)}\n${syncText(syncing)}`,
  )
  tellProblem(syncing.problem)
  if (syncing.problem) process.exitCode = exitCode.no
}
