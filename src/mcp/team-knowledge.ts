import { DreyError } from "../errors.ts"
import { quote } from "../formats/quote.ts"
import { type Call, untrustedNotice } from "./call.ts"

/** The only prompt that users can pick in a client. */
export const teamKnowledge = {
  name: "team_knowledge",
  title: "What does the team know?",
  description: "What does the team know about a topic?",
  arguments: [{ name: "topic", description: "Anything: a part of the code, a decision, an error", required: true }],
} as const

const mostHits = 10

/** The question, followed by everything relevant in memory. */
export async function askTeamKnowledge(topic: string, { drey, agent, session, progress }: Call): Promise<string> {
  if (topic.trim() === "") throw new DreyError("The topic is empty")
  const { context } = await drey.context.build({ task: topic, agent, session }, { progress })
  const outcome = await drey.search.everything({ text: topic, limit: mostHits }, { progress })
  if (outcome.kind === "refused") throw new DreyError(outcome.reason)
  const isShown = new Set(context.included.map(({ id }) => id))
  const others = outcome.hits.filter(({ id }) => !isShown.has(id))
  const lines = others.map(({ id, title, snippet, path }) =>
    quote(`[${id}] ${title} (${path}): ${snippet}`.replace(/\s+/g, " ")),
  )
  const isTrusted = (await drey.team.trust()).kind === "trusted"
  const found = [
    ...(isTrusted ? [] : [untrustedNotice]),
    context.text,
    ...(lines.length > 0 ? [`Also found by searching:\n${lines.join("\n")}`] : []),
  ]
  const isKnown = context.text !== "" || lines.length > 0
  return [
    `What does the team know about "${topic.replace(/\s+/g, " ").trim()}"?`,
    isKnown
      ? "Answer from the records below, name the source of each statement, and say what they do not answer."
      : "The team's memory contains nothing about it. Say so.",
    ...found.filter((part) => part !== ""),
  ].join("\n\n")
}
