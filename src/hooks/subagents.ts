import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { Delegation, HookEvent } from "../clients/hook-event.ts"
import { agentKey } from "../formats/text.ts"
import type { SeenItems } from "./seen-items.ts"

const delegatedMark = "delegated "
const startedMark = "started "
const longestTask = 4000

/**
 * Keeps a sub-agent's task until it starts: the client's start hook names the sub-agent, not its task. Secrets are
 * removed.
 */
export async function noteDelegation(told: SeenItems, { kind, name, task }: Delegation): Promise<void> {
  const { redactSecrets } = await import("../governance/redaction.ts")
  const short = (text: string) => redactSecrets(text.slice(0, longestTask))
  told.add([`${delegatedMark}${JSON.stringify({ kind, name: short(name), task: short(task) })}`])
}

/** The oldest task for this kind of sub-agent that none has started with. */
export function takeDelegation(told: SeenItems, kind: string | undefined): Delegation | undefined {
  const keys = told.all()
  const matching = keys
    .filter((key) => key.startsWith(delegatedMark))
    .flatMap((key, at) => readDelegation(key).map((delegation) => ({ delegation, mark: `${startedMark}${at}` })))
    .filter(
      ({ delegation }) =>
        delegation.kind === undefined || kind === undefined || agentKey(delegation.kind) === agentKey(kind),
    )
  const next = matching.find(({ mark }) => !keys.includes(mark))
  if (next) told.add([next.mark])
  return next?.delegation
}

function readDelegation(key: string): Delegation[] {
  try {
    return [JSON.parse(key.slice(delegatedMark.length)) as Delegation]
  } catch {
    return [] // a killed process left a partial line; the sub-agent starts without its task
  }
}

/** Sub-agents have their own list of seen items: parents and siblings have not seen the same. */
export function threadOf({ kind, session, agent, agentId }: HookEvent): string | undefined {
  const own = agentId ?? (kind === "subagent-start" ? agent : undefined)
  return session === undefined || own === undefined ? session : `${session}-${own}`
}

/**
 * The team member that a sub-agent works as: by the client's name for it, else by a name at the start of its task.
 * Clients often start every member as the same kind of sub-agent, with "You are Kane" in the task.
 */
export function memberOf(teamFolder: string, kind: string | undefined, delegation?: Delegation): string | undefined {
  const members = new Set(membersIn(teamFolder))
  const own = agentKey(kind)
  if (own !== undefined && members.has(own)) return own
  const { name = "", task = "" } = delegation ?? {}
  const introduced = /\byou(?:'re| are)\s+(?:\W{0,3})([\p{L}\p{N}_-]{1,40})/iu.exec(task.slice(0, 600))?.[1]
  const named = [introduced ?? "", name].flatMap((text) => text.match(/[\p{L}\p{N}_-]+/gu) ?? [])
  return named.map(agentKey).find((key) => key !== undefined && members.has(key)) ?? own
}

function membersIn(teamFolder: string): string[] {
  try {
    return readdirSync(join(teamFolder, "agents")).flatMap((name) => agentKey(name) ?? [])
  } catch {
    return [] // not a member, or not readable
  }
}
