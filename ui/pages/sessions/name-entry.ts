import type { SessionDetail } from "../../../src/recall/browse/app-api.ts"

/** An entry as one line, by its id (`discovery-001`, an agent's own) or `agent/id`; the id itself where there is none of it. */
export function nameEntry(agents: SessionDetail["agents"], reference: string, own: string): string {
  const slash = reference.lastIndexOf("/")
  const [agent, id] = slash < 0 ? [own, reference] : [reference.slice(0, slash), reference.slice(slash + 1)]
  const memory = agents.find(({ name }) => name === agent)?.memory
  const discovery = memory?.discoveries.find((each) => each.id === id)
  const attempt = memory?.attempts.find((each) => each.id === id)
  return discovery?.summary ?? discovery?.content ?? attempt?.description ?? reference
}
