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
    "Sign in to a team server with a personal access token from the team's app. Asks for the token or reads it from stdin, stores it readable only by you, then copies the team's memory for your projects to this machine.",
    "drey team login https://drey.example.com\ndrey team login https://drey.example.com < token.txt",
  )
    .argument("<url>", "the address of the server")
    .option("--token <token>", "the token; prefer stdin, because other users can see it in the process list")
    .option("--insecure", "allow an unencrypted connection to a remote server")
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
