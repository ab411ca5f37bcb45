import { DreyError } from "../errors.ts"
import { quote } from "../formats/text.ts"
import { type ToolCallContext, untrustedNotice } from "./tool.ts"

/** Something to read, as clients list it. */
export type Resource = { uri: string; name: string; mimeType: string; description?: string }

const markdown = "text/markdown"
const json = "application/json"
const mostSessions = 20
const decisions: Resource = { uri: "drey://decisions", name: "The team's decisions", mimeType: markdown }

export const resourceTemplates = [
  {
    uriTemplate: "drey://agents/{name}/history",
    name: "history",
    description: "The history of one of the team's agents",
    mimeType: markdown,
  },
  {
    uriTemplate: "drey://sessions/{id}",
    name: "session",
    description: "What a session's agents discovered, tried and decided",
    mimeType: json,
  },
] as const

/** The decisions, the histories of the team's agents and the last sessions. */
export async function listResources({ drey }: ToolCallContext): Promise<Resource[]> {
  const sessions = (await drey.sessions.list()).slice(0, mostSessions).map(({ id }) => {
    return { uri: `drey://sessions/${encodeURIComponent(id)}`, name: `Session ${id}`, mimeType: json }
  })
  if (!drey.hasTeamFolder) return sessions
  const files = await drey.governed.stateFiles()
  const histories = files
    .list("agents")
    .filter((name) => files.list(`agents/${name}`).includes("history.md"))
    .map((name) => {
      return {
        uri: `drey://agents/${encodeURIComponent(name)}/history`,
        name: `History of ${name}`,
        mimeType: markdown,
      }
    })
  return [...(files.list("").includes("decisions.md") ? [decisions] : []), ...histories, ...sessions]
}

/** Undefined if it does not exist. */
export async function readResource(
  uri: string,
  { drey }: ToolCallContext,
): Promise<{ text: string; mimeType: string } | undefined> {
  const [, kind, name = "", part] = /^drey:\/\/(\w+)(?:\/([^/]+)(?:\/(\w+))?)?$/.exec(uri) ?? []
  const decoded = decode(name)
  if (kind === "sessions" && decoded !== "" && part === undefined) {
    const sessions = drey.sessions
    const isThere = (await sessions.list()).some(({ id }) => id === decoded)
    if (!isThere) return undefined
    return { text: JSON.stringify(await (await sessions.open(decoded)).export(), null, 2), mimeType: json }
  }
  const isHistory = kind === "agents" && part === "history" && /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(decoded)
  const key = isHistory ? `agents/${decoded}/history.md` : uri === decisions.uri ? "decisions.md" : undefined
  const text = key === undefined ? undefined : (await drey.governed.stateFiles()).read(key)
  return text === undefined ? undefined : { text, mimeType: markdown }
}

/** Undefined if the text is not valid URI encoding. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ""
  }
}

/** The only prompt that users can pick in a client. */
export const teamKnowledge = {
  name: "team_knowledge",
  title: "What does the team know?",
  description: "What does the team know about a topic?",
  arguments: [{ name: "topic", description: "Anything: a part of the code, a decision, an error", required: true }],
} as const

const mostHits = 10

/** The question, followed by everything relevant in memory. */
export async function askTeamKnowledge(
  topic: string,
  { drey, agent, session, progress }: ToolCallContext,
): Promise<string> {
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
