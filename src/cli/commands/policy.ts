import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { type CommonOptions, print, tell } from "../print.ts"

export function policyCommand(): Command {
  const policy = command(
    "policy",
    "Show the policy for promoting and retiring learned memories: built-in defaults, then the user's memory_policy.toml, then the project's.",
    "drey policy\ndrey policy reload",
  )
    .action(show)
    .enablePositionalOptions() // options after a subcommand's name belong to the subcommand
  policy.addCommand(
    command("show", "Show the current policy, key by key.", "drey policy show --json").action(
      (options: CommonOptions) => show(options),
    ),
  )
  policy.addCommand(
    command("reload", "Check the policy files, and reload them in a running watch.", "drey policy reload").action(
      reload,
    ),
  )
  return policy
}

async function show(options: CommonOptions): Promise<void> {
  const drey = openDrey(options)
  const { policy, files, warnings } = await drey.memories.policy()
  const { writePolicy } = await import("../../formats/write-policy.ts")
  await drey.close()
  print(
    options,
    () => ({ policy, files, warnings }),
    () => {
      const sources =
        files.length === 0
          ? "# Built-in defaults; no policy file found."
          : `# From ${files.join(", ")}; everything else is the default.`
      return `${sources}\n\n${writePolicy(policy)}`
    },
  )
  for (const warning of warnings) tell(`drey: ${warning}`)
}

async function reload(options: CommonOptions): Promise<void> {
  const drey = openDrey(options)
  const { files, warnings } = await drey.memories.policy()
  await drey.close()
  const { reloadWatch } = await import("../../rpc/reload-watch.ts")
  const running = await reloadWatch(process.env)
  print(
    options,
    () => ({ files, warnings, running }),
    () =>
      `${files.length === 0 ? "No policy file: the built-in defaults apply." : `Read ${files.join(", ")}.`}${running ? " The running watch has reloaded it." : ""}`,
  )
  for (const warning of warnings) tell(`drey: ${warning}`)
}
