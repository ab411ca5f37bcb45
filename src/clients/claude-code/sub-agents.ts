import { type JsonObject, objectOf, objectsOf, textOf } from "../json-value.ts"
import { type Delegated, subAgentName, subAgentSession } from "../sub-agent.ts"
import { readJsonFile } from "../transcripts/client-files.ts"
import type { RecordHeader } from "../transcripts/event-collector.ts"

/** Finds out whose work the records of a file are: the session's own, or that of which sub-agent. */
export type SubAgents = {
  placeOf(record: JsonObject): Pick<RecordHeader, "session" | "agent">
  /** State for a later reading of the same file. */
  carry(): JsonObject
}

const mostDelegated = 50
const mostLinks = 400

/** Records of the session's own file name no sub-agent up to 1.x: there each is linked to the one before it. */
export function openSubAgents(path: string, carried: JsonObject | undefined): SubAgents {
  const before = objectOf(carried?.subAgents) ?? {}
  /** The tasks that the session handed out, by their whole text. */
  const delegated = new Map<string, Delegated>(
    Object.entries(objectOf(before.delegated) ?? {}) as [string, Delegated][],
  )
  /** The first record of each record's chain. */
  const links = new Map<string, string>(Object.entries(objectOf(before.links) ?? {}) as [string, string][])
  const names = new Map<string, string>(Object.entries(objectOf(before.names) ?? {}) as [string, string][])
  const described = describedBeside(path)

  const chainOf = (record: JsonObject): string => {
    const own = textOf(record.uuid) ?? ""
    const root = links.get(textOf(record.parentUuid) ?? "") ?? own
    keep(links, own, root, mostLinks)
    return root.slice(0, 8)
  }
  const nameOf = (id: string, record: JsonObject): string | undefined => {
    const task = record.type === "user" ? textIn(record) : undefined
    if (!names.has(id) && task !== undefined) {
      const name = subAgentName({ task, ...delegated.get(task), ...described })
      if (name !== undefined) keep(names, id, name, mostDelegated)
    }
    return names.get(id)
  }

  return {
    placeOf(record) {
      const parent = textOf(record.sessionId)
      if (record.isSidechain !== true || parent === undefined) {
        for (const task of tasksIn(record)) keep(delegated, task.task, task, mostDelegated)
        return { session: parent }
      }
      const id = textOf(record.agentId) ?? chainOf(record)
      const name = nameOf(id, record)
      return { session: subAgentSession(parent, id), agent: { parent, ...(name === undefined ? {} : { name }) } }
    },
    carry: () => ({
      subAgents: {
        delegated: Object.fromEntries(delegated),
        links: Object.fromEntries(links),
        names: Object.fromEntries(names),
      },
    }),
  }
}

/** Files of sub-agents have their kind and task beside them since 2.1. */
function describedBeside(path: string): Partial<Delegated> {
  if (!/[\\/]agent-[^\\/]*\.jsonl$/.test(path)) return {}
  const { agentType, description } = objectOf(readJsonFile(path.replace(/\.jsonl$/, ".meta.json"))) ?? {}
  return delegatedAs(agentType, description)
}

function delegatedAs(kind: unknown, title: unknown): Partial<Delegated> {
  const [isKind, isTitle] = [textOf(kind), textOf(title)]
  return { ...(isKind === undefined ? {} : { kind: isKind }), ...(isTitle === undefined ? {} : { title: isTitle }) }
}

function tasksIn(record: JsonObject): Delegated[] {
  if (record.type !== "assistant") return []
  return objectsOf(objectOf(record.message)?.content).flatMap(({ type, name, input }) => {
    const { prompt, subagent_type, description } = objectOf(input) ?? {}
    const task = textOf(prompt)
    if (type !== "tool_use" || (name !== "Task" && name !== "Agent") || task === undefined) return []
    return [{ task, ...delegatedAs(subagent_type, description) }]
  })
}

function textIn(record: JsonObject): string | undefined {
  const content = objectOf(record.message)?.content
  if (typeof content === "string") return content
  return objectsOf(content).flatMap(({ type, text }) => (type === "text" ? (textOf(text) ?? []) : []))[0]
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.set(key, value)
  const [oldest = ""] = map.keys()
  if (map.size > most) map.delete(oldest)
}
