import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command, commandGroup } from "../command.ts"
import { type CommonOptions, count, print } from "../print.ts"
import { writeDocument } from "../write-out.ts"

type Options = CommonOptions & { out?: string }

export function viewCommand(): Command {
  return commandGroup("view", "Write the team folder in another tool's format.", "drey view squadui").addCommand(
    command(
      "squadui",
      "Write the team's decisions, roster, agents and skills in the format that SquadUI reads. The view is generated; Drey never reads it.",
      "drey view squadui --out view   # then open the folder view in VS Code",
    )
      .option("--out <dir>", "write everything that SquadUI shows to <dir>/.squad instead of printing the decisions")
      .action(showSquadUi),
  )
}

async function showSquadUi(options: Options): Promise<void> {
  const {
    text,
    path,
    files = [],
  } = await openDrey(options).team.squadUiView(options.out === undefined ? {} : { out: options.out })
  if (path === undefined && !options.json) return writeDocument(text.endsWith("\n") ? text : `${text}\n`)
  print(
    options,
    () => (path === undefined ? { text } : { path, bytes: Buffer.byteLength(text), files }),
    () => `Wrote ${path} and ${count(files.length - 1, "other file")}.`,
  )
}
