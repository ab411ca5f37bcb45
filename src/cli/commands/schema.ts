import type { Command } from "commander"
import { command } from "../command.ts"

export function schemaCommand(): Command {
  return command("schema", "Print the JSON Schema of an entry's JSON form.", "drey schema > sem.schema.json").action(
    async () => {
      const { entryJsonSchema } = await import("../../formats/entry-schema.ts")
      process.stdout.write(`${JSON.stringify(entryJsonSchema(), null, 2)}\n`)
    },
  )
}
