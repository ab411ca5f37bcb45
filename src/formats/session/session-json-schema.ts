import { z } from "zod"
import { agentMemorySchema } from "./agent-memory.ts"
import { conversationSchema, machineStateSchema, metadataSchema, planFileSchema } from "./sibling-schemas.ts"

/**
 * The JSON Schema (draft 2020-12) of `agent-memory.yaml`, for validators in any language. It covers what a schema can express:
 * `readAgentMemory` checks that ids are unique, references resolve and times exist.
 */
export function agentMemoryJsonSchema(): Record<string, unknown> {
  return toPublished(agentMemorySchema, { $id: "urn:drey:agent-memory:1" })
}

export type SiblingName = keyof typeof siblings

/** The JSON Schema of one of the other files in a session's folder, by the name in its `schema` field. */
export function siblingJsonSchema(of: SiblingName): Record<string, unknown> {
  const { schema, file } = siblings[of]
  return toPublished(schema, {
    $id: `urn:drey:${of}:1`,
    title: file,
    description: `\`${file}\` of a session's folder.`,
  })
}

const siblings = {
  "session-context": { schema: machineStateSchema, file: "context.yaml" },
  "session-conversation": { schema: conversationSchema, file: "conversation.yaml" },
  "session-plan": { schema: planFileSchema, file: "plan.yaml" },
  "session-metadata": { schema: metadataSchema, file: "metadata.yaml" },
}

function toPublished(of: z.ZodType, names: { $id: string; title?: string; description?: string }) {
  const { $schema, title, description, properties, $defs, ...rest } = z.toJSONSchema(of, {
    io: "input",
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum // true of every number that is exact
    },
  })
  const head = { $schema, title, description, ...names }
  return { ...head, ...rest, properties: { ...properties, version: firstVersion }, ...($defs ? { $defs } : {}) }
}

/** The reader understands the head of any version; this schema describes one. */
const firstVersion = {
  description:
    'The version of the format, as a text: "1". A number is accepted and becomes a text with the next change.',
  anyOf: [
    { type: "string", pattern: "^1(\\.[0-9]{1,6}){0,2}$" },
    { type: "number", minimum: 1, exclusiveMaximum: 2 },
  ],
}
