import { resolve } from "node:path"
import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { print } from "../print.ts"
import { openSession, type SessionOptions, sessionSubcommand } from "../session-face.ts"
import { writeJson } from "../write-out.ts"

type Options = SessionOptions & { out?: string }

export function sessionExportCommand(): Command {
  return sessionSubcommand(
    "export",
    "Export a session as one JSON document: every agent's memory with its archive, plans, conversation and state.",
    "drey session export > session.json\ndrey session export 20260214-0915 --out session.json",
  )
    .argument("[id]", "the session, instead of --session")
    .addOption(new Option("--format <format>", "how to write it").choices(["json"]).default("json"))
    .option("--out <file>", "write it to a file")
    .action(exportSession)
}

async function exportSession(id: string | undefined, options: Options): Promise<void> {
  const session = await openSession(options, id, { newest: true })
  const document = await session.export()
  if (options.out === undefined) return writeJson(document)
  const text = `${JSON.stringify(document, null, 2)}\n`
  const path = resolve(options.out)
  await openDrey(options).team.saveAs(path, text)
  print(
    options,
    () => ({ session: session.id, path, bytes: Buffer.byteLength(text) }),
    () => `Wrote ${session.id} to ${path}.`,
  )
}
