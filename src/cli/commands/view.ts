import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command, commandGroup } from "../command.ts"
import { type CommonOptions, print } from "../print.ts"
import { writeDocument } from "../write-out.ts"

type Options = CommonOptions & { out?: string }

export function viewCommand(): Command {
  return commandGroup("view", "Write the store in another tool's form.", "drey view squadui").addCommand(
    command(
      "squadui",
      "Write the decisions in the form today's SquadUI reads. The view is generated: it is never read back.",
      "drey view squadui --out view   # then open the folder view in VS Code",
    )
      .option("--out <dir>", "write <dir>/.squad/decisions.md instead of printing it")
      .action(showSquadUi),
  )
}

async function showSquadUi(options: Options): Promise<void> {
  const { text, path } = await openDrey(options).squadUiView(options.out === undefined ? {} : { out: options.out })
  if (path === undefined && !options.json) return writeDocument(text.endsWith("\n") ? text : `${text}\n`)
  print(
    options,
    () => (path === undefined ? { text } : { path, bytes: Buffer.byteLength(text) }),
    () => `Wrote ${path}.`,
  )
}
