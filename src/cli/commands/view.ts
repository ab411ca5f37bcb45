import { join, resolve } from "node:path"
import type { Command } from "commander"
import { writeFileAtomic } from "../../disk/write-file-atomic.ts"
import { openDrey } from "../../drey.ts"
import { type CommonOptions, command, print } from "../command.ts"

type Options = CommonOptions & { out?: string }

export function viewCommand(): Command {
  const view = command("view", "Write the store in another tool's form.", "drey view squadui --out /tmp/view")
  view.addCommand(
    command(
      "squadui",
      "Write the decisions in the form today's SquadUI reads. The view is generated: it is never read back.",
      "drey view squadui --out view   # then open the folder view in VS Code",
    )
      .option("--out <dir>", "write <dir>/.squad/decisions.md instead of printing it")
      .action(showSquadUi),
  )
  return view
}

async function showSquadUi(options: Options): Promise<void> {
  const text = await openDrey(options).squadUiView()
  if (options.out === undefined) {
    print(
      options,
      () => ({ text }),
      () => text,
    )
    return
  }
  const path = join(resolve(options.out), ".squad", "decisions.md")
  writeFileAtomic(path, text)
  print(
    options,
    () => ({ path, bytes: Buffer.byteLength(text) }),
    () => `Wrote ${path}.`,
  )
}
