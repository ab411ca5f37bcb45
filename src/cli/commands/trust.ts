import { type Command, Option } from "commander"
import { DreyError } from "../../errors.ts"
import { openTrust, type RepositoryTrust, type TrustRecord } from "../../trust.ts"
import { command } from "../command.ts"
import { type CommonOptions, print } from "../print.ts"
import { trustForUser } from "../trust-on-write.ts"

type Options = CommonOptions & { remove?: boolean; list?: boolean }

export function trustCommand(): Command {
  return command(
    "trust",
    "Trust this repository: its rules apply to coding agents here, and Drey learns from work in it. A clone is not trusted until you run this, drey init, drey connect or a command that writes to its memory. The record is kept in ~/.drey, for this path and this remote.",
    "drey trust\ndrey trust --list\ndrey trust --remove",
  )
    .option("--remove", "stop trusting it: agents get its memory as unconfirmed background, without rules and guards")
    .addOption(new Option("--list", "list the trusted repositories").conflicts("remove"))
    .action(trust)
}

async function trust(options: Options): Promise<void> {
  const trusting = openTrust(options)
  if (options.list) {
    const records = trusting.list().map(({ path, remote, at }) => ({ path, remote, at }))
    return print(
      options,
      () => ({ repositories: records }),
      () => listText(records),
    )
  }
  if (!trusting.isRepository)
    throw new DreyError(`${trusting.root} is not a repository: it has no .squad and no .git folder`, {
      hint: "Run it inside a repository, or pass --root DIR.",
    })
  const isChanged = options.remove ? await trusting.remove() : (await trustForUser(options.root)) === true
  const isTrusted = options.remove !== true
  print(
    options,
    () => ({ path: trusting.root, trusted: isTrusted, changed: isChanged }),
    () => changeText(isTrusted, isChanged),
  )
}

function changeText(isTrusted: boolean, isChanged: boolean): string {
  if (isTrusted)
    return isChanged ? "Trusted this repository. Undo: drey trust --remove" : "This repository is already trusted."
  return isChanged ? "This repository is no longer trusted." : "This repository was not trusted."
}

function listText(records: readonly Pick<TrustRecord, "path" | "remote">[]): string {
  if (records.length === 0) return "No trusted repositories."
  return records.map(({ path, remote }) => (remote === null ? path : `${path}  ${remote}`)).join("\n")
}

/** One line for other commands. */
export function trustText(trust: RepositoryTrust): string {
  if (trust.kind !== "trusted") return `no: ${trust.reason}. Run "drey trust" to let its rules apply.`
  return trust.record === undefined
    ? "nothing to trust: there is no team folder"
    : `yes, since ${trust.record.at.slice(0, 10)}`
}
