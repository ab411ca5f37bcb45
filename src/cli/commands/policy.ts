import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { type CommonOptions, print, tell } from "../print.ts"

export function policyCommand(): Command {
  const policy = command(
    "policy",
    "Show by which rules learned memory is kept, promoted and ended: built in, then the user's memory_policy.toml, then the project's.",
    "drey policy\ndrey policy reload",
  )
    .action(show)
    .enablePositionalOptions() // what stands behind a subcommand's name is the subcommand's
  policy.addCommand(
    command("show", "The policy in force, key by key.", "drey policy show --json").action((options: CommonOptions) =>
      show(options),
    ),
  )
  policy.addCommand(
    command("reload", "Check the policy files, and have a running watch take them up.", "drey policy reload").action(
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
        files.length === 0 ? "# Built in; no file changes it." : `# From ${files.join(", ")}; the rest is built in.`
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
      `${files.length === 0 ? "No policy file: what is built in holds." : `Read ${files.join(", ")}.`}${running ? " The running watch has taken it up." : ""}`,
  )
  for (const warning of warnings) tell(`drey: ${warning}`)
}
