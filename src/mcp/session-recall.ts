import { DreyError } from "../errors.ts"
import type { SessionSummary } from "../sessions/session.ts"
import type { allTools } from "./all-tools.ts"
import type { Answer, Call } from "./call.ts"
import { similarLine } from "./similar-line.ts"
import type { ArgumentsOf } from "./tool.ts"

type Given = ArgumentsOf<(typeof allTools)["session_recall"]["inputSchema"]>

/** A session's records as text for an agent or for choosing the next agent. */
export async function sessionRecall(given: Given, { drey, ...call }: Call): Promise<Answer> {
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
    ...similar.map(similarLine),
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
