import { DreyError } from "../errors.ts"
import { omitUndefined } from "../formats/objects.ts"
import type { Importance } from "../formats/session/agent-memory.ts"
import type { Graduate } from "../sessions/graduation/graduate.ts"
import type { ContextChanges, Session, SessionSummary } from "../sessions/session-api.ts"
import type { SimilarAttempt } from "../sessions/similar-attempts.ts"
import type { ArgumentsOf, ToolAnswer, ToolCallContext } from "./tool.ts"
import type { allTools } from "./tools.ts"

type Given = ArgumentsOf<(typeof allTools)["session_record"]["inputSchema"]>
type Action = Given["action"]

/** Records something in a session's working memory; it is on disk when this returns. */
export async function sessionRecord(given: Given, call: ToolCallContext): Promise<ToolAnswer> {
  const agent = given.agent ?? call.agent
  const sessions = call.drey.sessions
  if (given.action === "start") {
    const session = await sessions.start({
      task: requireText(given, "the task"),
      ...(agent === undefined ? {} : { agent }),
    })
    return noted(session, await session.firstAgent(), `Started session ${session.id}`)
  }
  const session = await sessions.open(given.session)
  return actions[given.action](given, { drey: call.drey, session, agent: agent ?? (await session.firstAgent()) })
}

type Recording = { drey: ToolCallContext["drey"]; session: Session; agent: string }

const actions: Record<Exclude<Action, "start">, (given: Given, recording: Recording) => Promise<ToolAnswer>> = {
  async discover(given, { session, agent }) {
    const { type = "codebase_structure", files: relatedFiles } = given
    const content = requireText(given, "the discovery")
    const importance = levelOf(given, ["low", "medium", "high", "critical"])
    const { id } = await session.addDiscovery(agent, {
      type,
      content,
      ...omitUndefined({ importance, relatedFiles }),
    })
    return noted(session, agent, `Recorded ${id}`, { id })
  },
  async attempt(given, { session, agent }) {
    const description = requireText(given, "the attempt")
    const { attempt, similar } = await session.startAttempt(agent, {
      description,
      ...omitUndefined({ approach: given.approach }),
    })
    const warnings = similar.map(similarAttemptLine)
    const answer = noted(session, agent, `Started ${attempt.id}`, { id: attempt.id, similar: warnings })
    return { ...answer, text: [answer.text, ...warnings].join("\n") }
  },
  async finish(given, { session, agent, drey }) {
    const { id, result, text: output, error, lessons } = given
    if (id === undefined || result === undefined) throw new DreyError("finish needs the attempt's id and its result")
    const named = given.agent === undefined ? {} : { agent }
    await session.finishAttempt(id, { result, ...omitUndefined({ output, error, lessons }) }, named)
    const answer = noted(session, agent, `Finished ${id}: ${result}`, { id })
    const trouble = result === "success" ? [] : await refreshGuards(drey)
    return { ...answer, text: [answer.text, ...trouble].join("\n") }
  },
  async decide(given, { session, agent }) {
    const { type = "implementation", reasoning, related = [] } = given
    const description = requireText(given, "the decision")
    const impact = levelOf(given, ["low", "medium", "high"])
    const alternatives = given.alternatives?.map(readAlternative)
    const { id } = await session.addDecision(agent, {
      type,
      description,
      relatedDiscoveries: related.filter((each) => /(?:^|\/)discovery/.test(each)),
      relatedAttempts: related.filter((each) => /(?:^|\/)attempt/.test(each)),
      ...omitUndefined({ reasoning, impact, alternatives }),
    })
    return noted(session, agent, `Recorded ${id}`, { id })
  },
  async context(given, { session, agent }) {
    const { set, add, remove } = given
    await session.updateContext(agent, omitUndefined({ set, add: listsOf(add), remove: listsOf(remove) }))
    return noted(session, agent, "Updated the context")
  },
  async end(given, { session, agent, drey }) {
    const { status, text: summary } = given
    const ended = await session.end(omitUndefined({ status, summary }))
    const trouble = await refreshGuards(drey)
    const { proposals } = await drey.sessions.graduate(session.id, { mode: "ask" })
    const worthKeeping = proposals.map(proposalLine)
    const answer = noted(session, agent, `Ended session ${session.id}: ${ended.status}`, { worthKeeping })
    const hint = `Worth keeping after the session (the user can keep it with: drey session graduate ${session.id}):`
    const kept = worthKeeping.length === 0 ? [] : [hint, ...worthKeeping]
    return { ...answer, text: [answer.text, ...trouble, ...kept].join("\n") }
  },
}

/** Hooks warn about failures in open sessions, so the guards are updated. The record is kept even if that fails. */
async function refreshGuards(drey: ToolCallContext["drey"]): Promise<string[]> {
  if (!drey.hasTeamFolder) return []
  try {
    await drey.context.compileGuards()
    return []
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return [`Guards could not be updated: ${error.message}`]
  }
}

function noted(session: Session, agent: string, what: string, data: Record<string, unknown> = {}): ToolAnswer {
  const isAbout = what.includes(session.id)
  return {
    text: isAbout ? `${what} (${agent})` : `${what} for ${agent} in session ${session.id}`,
    data: { session: session.id, agent, ...data },
  }
}

function requireText({ action, text }: Given, what: string): string {
  if (text !== undefined && text.trim() !== "") return text
  throw new DreyError(`${action} needs "text": ${what}`)
}

function levelOf<Level extends Importance>({ level }: Given, levels: readonly Level[]): Level | undefined {
  const wanted = level?.trim().toLowerCase()
  const found = levels.find((each) => each === wanted)
  if (level !== undefined && found === undefined) throw new DreyError(`"level" must be one of ${levels.join(", ")}`)
  return found
}

/** `OAuth2: its scope is too broad`. */
function readAlternative(written: string): { name: string; reason: string } {
  const [name = "", ...rest] = written.split(": ")
  return { name: name.trim(), reason: rest.join(": ").trim() }
}

/** A single text counts as a list of one; other types are rejected. */
function listsOf(given: Record<string, unknown> | undefined): ContextChanges["add"] | undefined {
  if (given === undefined) return undefined
  const lists = Object.entries(given).map(([name, value]) => {
    const list = typeof value === "string" ? [value] : value
    if (Array.isArray(list) && list.every((each) => typeof each === "string")) return [name, list] as const
    throw new DreyError(`"${name}" must be a list of texts`)
  })
  return Object.fromEntries(lists)
}

function proposalLine(graduate: Graduate): string {
  return `${graduate.id}: ${graduate.target === "inbox" ? graduate.entry.title : graduate.text}`
}

type GivenRecall = ArgumentsOf<(typeof allTools)["session_recall"]["inputSchema"]>

/** A session's records as text for an agent or for choosing the next agent. */
export async function sessionRecall(given: GivenRecall, { drey, ...call }: ToolCallContext): Promise<ToolAnswer> {
  const { view = "prompt", session, prompt = "", approach, topic } = given
  const agent = given.agent ?? call.agent
  if (view === "list") return { text: listText(await drey.sessions.list()) }
  if (view === "prompt") {
    const { text } = await drey.sessions.agentPrompt(session, { prompt, ...(agent === undefined ? {} : { agent }) })
    return { text: text.trim() === "" ? "Nothing has been recorded in this session yet." : text }
  }
  if (view === "arbiter")
    return { text: (await drey.sessions.arbiterPrompt(session, { prompt, approach, topic })).text }
  if (approach === undefined && topic === undefined)
    throw new DreyError('similar needs "approach" (what you might try) or "topic"')
  const { similar, discoveries } = await drey.sessions.arbiterPrompt(session, { approach, topic })
  const lines = [
    ...similar.map(similarAttemptLine),
    ...discoveries.map(({ agent, discovery }) => {
      const { id, summary, content } = discovery
      return `${id} (${agent}): ${oneLine(summary ?? content)}`
    }),
  ]
  return { text: lines.length === 0 ? "Nothing similar was tried or discovered in this session." : lines.join("\n") }
}

function listText(sessions: readonly SessionSummary[]): string {
  const lines = sessions.map((each) =>
    each.kind === "readable"
      ? `${each.id} [${each.metadata.status}] ${oneLine(each.metadata.task)}`
      : `${each.id} [unreadable] ${each.problem}`,
  )
  return lines.length === 0 ? "No sessions." : lines.join("\n")
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 200)
}

/** Warns of an attempt that went much the same way. */
function similarAttemptLine({ attemptId, agent, result, reason }: SimilarAttempt): string {
  return `⚠ similar to ${result === "failure" ? "failed" : "partial"} ${attemptId} (${agent}): ${reason}`
}
