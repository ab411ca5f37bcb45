import { DreyError } from "../errors.ts"
import { quoteInline } from "../formats/quote.ts"
import { agentOfScope, isScope } from "../formats/scope.ts"
import type { AuditRecord } from "../governance/audit-chain.ts"
import type { EverythingHit } from "../recall/search-everything.ts"
import type { WriteResult } from "../squad/memory/write-request.ts"
import type { allTools } from "./all-tools.ts"
import { type Answer, type Call, callingAgent, refusal } from "./call.ts"
import type { ArgumentsOf } from "./tool.ts"

type Given<Name extends keyof typeof allTools> = ArgumentsOf<(typeof allTools)[Name]["inputSchema"]>

// These answers use Squad's wording: agents and programs written for Squad parse them.

export async function memoryClassify(given: Given<"memory_classify">, { drey, ...call }: Call): Promise<Answer> {
  const memory = drey.governed
  const { class: memoryClass, allowed, reason } = await memory.classify(given, { actor: callingAgent(call) })
  const text = `${memoryClass}: ${reason}`
  return allowed ? { text, data: { class: memoryClass, allowed, reason } } : refusal(text)
}

export async function memoryWrite(given: Given<"memory_write">, { drey, ...call }: Call): Promise<Answer> {
  const { content, title, author, approved, scope, tags } = given
  if (scope !== undefined && !isScope(scope))
    throw new DreyError("The scope must be team, project, agent:NAME or skill:NAME")
  const memory = drey.governed.as({ agent: callingAgent(call) })
  const owner = scope === undefined ? undefined : agentOfScope(scope)
  if (owner !== undefined && given.class !== undefined && given.class !== "LOCAL")
    throw new DreyError("An agent's own memory is LOCAL: omit class or scope")
  const metadata = {
    ...(scope === undefined ? {} : { scope }),
    ...(tags === undefined ? {} : { tags: tags.join(", ") }),
  }
  const result =
    owner === undefined
      ? await memory.write({ content, title, author, class: given.class, approved, metadata })
      : await memory.writeForAgent(owner, { content, title, author, ...(tags === undefined ? {} : { tags }) })
  const { class: memoryClass, reason } = result.classification
  if (!result.stored) return refusal(`Rejected ${memoryClass} memory: ${reason}`)
  const stored = `Stored ${memoryClass} memory ${result.id} at ${result.path}`
  return { text: [stored, ...proposalNote(result)].join("\n"), data: storedData(result) }
}

/** An agent's rule is stored as a proposal; without this note the agent would treat it as active. */
function proposalNote({ classification }: WriteResult): string[] {
  const isProposal = classification.class === "POLICY" && classification.destination === "decision-inbox"
  return isProposal ? ["It is a proposal: it is not a rule until the user accepts it in the decisions inbox."] : []
}

const defaultHits = 10

export async function memorySearch(given: Given<"memory_search">, { drey, progress }: Call): Promise<Answer> {
  const { query, agent, all, limit = defaultHits } = given
  if (query.trim() === "") throw new DreyError("The query is empty")
  const outcome = await drey.search.everything({ text: query, agent, all, limit }, { progress })
  if (outcome.kind === "refused") return refusal(outcome.reason)
  const isTrusted = (await drey.team.trust()).kind === "trusted"
  const hits = outcome.hits.map((hit) => ({
    ...hit,
    class: isTrusted ? hit.class : "UNTRUSTED", // an untrusted clone's classes do not count
    title: quoteInline(hit.title),
    snippet: quoteInline(hit.snippet),
  }))
  const text = hits.length === 0 ? "No governed memory entries matched." : hits.map(hitLine).join("\n")
  return { text, data: { results: hits } }
}

type Shown = Omit<EverythingHit, "class"> & { class: string }

function hitLine({ id, class: memoryClass, title, snippet, sharedBy }: Shown): string {
  const shared = sharedBy === undefined ? "" : ` (shared by ${quoteInline(sharedBy)})`
  return `${id} [${memoryClass}] ${title}: ${snippet}${shared}`
}

export async function memoryPromote(given: Given<"memory_promote">, { drey, ...call }: Call): Promise<Answer> {
  const { id, targetClass } = given
  const agent = callingAgent(call)
  const result = await drey.governed.as({ agent }).promote(id, targetClass, agent)
  if (!result.stored) return refusal(`Promotion rejected: ${result.classification.reason}`)
  const [note] = proposalNote(result)
  const text =
    note === undefined
      ? `Promoted memory ${id} to ${targetClass} as ${result.id}`
      : `Proposed memory ${id} as a rule at ${result.path}\n${note}`
  return { text, data: storedData(result) }
}

export async function memoryDelete(given: Given<"memory_delete">, { drey, ...call }: Call): Promise<Answer> {
  const { id } = given
  const agent = callingAgent(call)
  const isDeleted = await drey.governed.as({ agent }).delete(id, agent)
  return isDeleted ? { text: `Deleted memory ${id}`, data: { id } } : refusal(`Memory ${id.slice(0, 80)} not found`)
}

const defaultRecords = 50

export async function memoryAudit(given: Given<"memory_audit">, { drey }: Call): Promise<Answer> {
  const { limit = defaultRecords, verify = false } = given
  const memory = drey.governed
  if (verify) {
    const { ok, lines, problems, warnings } = await memory.verifyAudit()
    const whole = [`The audit log is intact: ${lines} lines.`, ...warnings].join(" ")
    if (ok) return { text: whole, data: { ok, lines, warnings } }
    const found = problems.map(({ path, line, message }) => `${path}:${line} ${message}`)
    return refusal(["The audit log was changed:", ...found].join("\n"))
  }
  const records = (await memory.audit()).slice(-limit)
  if (records.length === 0) return { text: "No governed memory audit records.", data: { records } }
  return { text: records.map(auditLine).join("\n"), data: { records } }
}

function auditLine({ timestamp, action, class: memoryClass, id, title, reason }: AuditRecord): string {
  return [timestamp, action, memoryClass ?? "", id ?? "", title ?? "", reason ?? ""].join(" ").trim()
}

function storedData(result: Extract<WriteResult, { stored: true }>): Record<string, unknown> {
  return { id: result.id, class: result.classification.class, path: result.path }
}
