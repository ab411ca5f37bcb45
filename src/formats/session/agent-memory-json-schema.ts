import { z } from "zod"
import { agentMemorySchema } from "./agent-memory.ts"

/**
 * The JSON Schema (draft 2020-12) of `agent-memory.yaml`, for validators in any language. It says what a schema can say: that ids are
 * unique, references lead somewhere and times exist is for `readAgentMemory`.
 */
export function agentMemoryJsonSchema(): Record<string, unknown> {
  const { $schema, title, description, properties, $defs, ...rest } = z.toJSONSchema(agentMemorySchema, {
    io: "input",
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum // true of every number that is exact
    },
  })
  return {
    $schema,
    $id: "urn:drey:agent-memory:1",
    title,
    description,
    ...rest,
    properties: { ...properties, version: firstVersion },
    $defs,
  }
}

/** The reader understands the head of any version; this schema describes one. */
const firstVersion = {
  description: 'The version of the format, as a text: "1". A number is read and becomes a text with the next change.',
  anyOf: [
    { type: "string", pattern: "^1(\\.[0-9]{1,6}){0,2}$" },
    { type: "number", minimum: 1, exclusiveMaximum: 2 },
  ],
}
