import { Argument, type Command } from "commander"
import { command } from "../command.ts"
import { writeJson } from "../write-out.ts"

export function schemaCommand(): Command {
  return command(
    "schema",
    "Print a JSON Schema: that of an entry's JSON form, or of an agent's memory of a session (agent-memory.yaml).",
    "drey schema > sem.schema.json\ndrey schema agent-memory",
  )
    .addArgument(new Argument("[of]", "what it describes").choices(["entry", "agent-memory"]).default("entry"))
    .action(async (of: "entry" | "agent-memory") => {
      writeJson(await schemaOf[of]())
    })
}

const schemaOf = {
  entry: async () => (await import("../../formats/entry-schema.ts")).entryJsonSchema(),
  "agent-memory": async () =>
    (await import("../../formats/session/agent-memory-json-schema.ts")).agentMemoryJsonSchema(),
}
