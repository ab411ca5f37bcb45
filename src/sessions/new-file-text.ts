import { editYaml } from "../formats/session/edit-yaml.ts"
import { readYaml } from "../formats/session/read-yaml.ts"
import { clearEdits } from "./clear-values.ts"

/** The text of a new session file: the head that all of them have, then these fields. */
export function newFileText(schema: string, sessionId: string, fields: Record<string, unknown>): string {
  const head = readYaml(`version: "1"\nschema: "${schema}"\n\nsessionId: "${sessionId}"\n`)
  if (head.kind === "broken") throw new Error("the head of a session file is not YAML")
  const further = Object.entries(fields).filter(([key, value]) => value !== undefined && !(key in head.document.value))
  return editYaml(head.document, clearEdits(further.map(([key, value]) => ({ op: "set", path: [key], value }))))
}

/** The text of an agent's memory that holds nothing yet, its sections in the order in which people read them. */
export function newMemory(sessionId: string, agent: string, now: Date): string {
  const time = now.toISOString()
  const head = newFileText("agent-memory", sessionId, { agent, createdAt: time, updatedAt: time })
  return `${head}\ndiscoveries: []\n\nattempts: []\n\ndecisions: []\n`
}
