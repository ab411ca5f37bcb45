import type { Machine } from "../../clients/client.ts"
import { findProgram } from "../../clients/client-wiring.ts"
import type { WriterSettings } from "../../config.ts"
import { DreyError } from "../../errors.ts"
import { isRecord } from "../../formats/objects.ts"

/** A writer that this machine has, and what a user should know before choosing it. */
export type WriterOffer = {
  /** What `drey learn --writer` takes. */
  name: string
  label: string
  settings: WriterSettings
  /** The cost of one task's episode. */
  cost: string
  /** Who reads the episodes; undefined if they stay on this machine. */
  reader: string | undefined
}

/** What an episode takes on average, in tokens: 2,650 were measured on real transcripts, without a project's description. */
export const episodeTokens = { prompt: 3000, answer: 300 }

export const builtIn: WriterOffer = {
  name: "rules",
  label: "the built-in writer",
  settings: { kind: "rules" },
  cost: "free",
  reader: undefined,
}

/** Every writer found on this machine, the ones that are free or paid for already first. Sends nothing but two requests for a list of models, to this machine. */
export async function findWriters(machine: Machine): Promise<WriterOffer[]> {
  return [builtIn, ...(await findLocalServers(machine)), ...findAgents(machine), ...findKeys(machine)]
}

type Agent = { name: string; label: string; reader: string; command: readonly string[] }

/** In print mode each reads the prompt from stdin and changes nothing. */
const agents: readonly Agent[] = [
  { name: "claude", label: "Claude Code", reader: "Anthropic", command: ["claude", "-p"] },
  {
    name: "codex",
    label: "Codex",
    reader: "OpenAI",
    command: ["codex", "exec", "--sandbox", "read-only", "--skip-git-repo-check", "-"],
  },
  { name: "gemini", label: "Gemini CLI", reader: "Google", command: ["gemini", "-p", "Answer what is asked above."] },
  { name: "copilot", label: "Copilot CLI", reader: "GitHub", command: ["copilot", "--silent"] },
]

function findAgents(machine: Machine): WriterOffer[] {
  return agents
    .filter(({ command: [program = ""] }) => findProgram(machine, program) !== undefined)
    .map(({ name, label, reader, command }) => ({
      name,
      label: `${label}, as you are signed in there`,
      settings: { kind: "command", command },
      cost: `one request of about ${thousands(episodeTokens.prompt)} tokens from your plan`,
      reader,
    }))
}

type Key = {
  provider: "anthropic" | "openai" | "google"
  variable: string
  label: string
  model: string
  /** Dollars for a million tokens of the prompt and of the answer, at the list price of 2026. */
  price: readonly [prompt: number, answer: number]
}

/** The smaller model of each provider: the task is easy, and done often. */
export const keys: readonly Key[] = [
  {
    provider: "anthropic",
    variable: "ANTHROPIC_API_KEY",
    label: "Anthropic",
    model: "claude-haiku-4-5",
    price: [1, 5],
  },
  { provider: "openai", variable: "OPENAI_API_KEY", label: "OpenAI", model: "gpt-5-mini", price: [0.25, 2] },
  {
    provider: "google",
    variable: "GOOGLE_GENERATIVE_AI_API_KEY",
    label: "Google",
    model: "gemini-2.5-flash",
    price: [0.3, 2.5],
  },
]

function findKeys({ environment }: Machine): WriterOffer[] {
  return keys
    .filter(({ variable }) => (environment[variable]?.trim() ?? "") !== "")
    .map(({ provider, variable, label, model, price }) => ({
      name: provider,
      label: `${model}, with the key in ${variable}`,
      settings: { kind: "model", provider, model },
      cost: `about $${dollarsOf(price)}, so $${dollarsOf(price, 100)} for 100 tasks`,
      reader: label,
    }))
}

function dollarsOf([prompt, answer]: Key["price"], episodes = 1): string {
  const dollars = (episodes * (episodeTokens.prompt * prompt + episodeTokens.answer * answer)) / 1e6
  return dollars.toFixed(episodes === 1 ? 3 : 2)
}

function thousands(tokens: number): string {
  return tokens.toLocaleString("en")
}

/** Servers with OpenAI's API that run on this machine. */
const localServers = [
  { name: "ollama", label: "Ollama", port: 11434 },
  { name: "lmstudio", label: "LM Studio", port: 1234 },
] as const

async function findLocalServers({ environment }: Machine): Promise<WriterOffer[]> {
  const offers = localServers.map(async ({ name, label, port }) => {
    const baseUrl = (name === "ollama" && ollamaUrl(environment)) || `http://127.0.0.1:${port}/v1`
    const [model] = await modelsAt(baseUrl).catch(() => []) // nothing runs there
    return model === undefined ? [] : [serverOffer({ name, label: `${label}, ${model}`, baseUrl, model })]
  })
  return (await Promise.all(offers)).flat()
}

/** `OLLAMA_HOST` is the server's own setting; another machine's would have to be named by its URL. */
function ollamaUrl({ OLLAMA_HOST = "" }: NodeJS.ProcessEnv): string | undefined {
  const [, port] = /^(?:http:\/\/)?(?:127\.0\.0\.1|localhost|0\.0\.0\.0)?:(\d{2,5})\/?$/.exec(OLLAMA_HOST) ?? []
  return port === undefined ? undefined : `http://127.0.0.1:${port}/v1`
}

/** A server named by its URL, with its first model if none is named. */
export async function offerServer(url: string, model?: string): Promise<WriterOffer> {
  const baseUrl = url.replace(/\/+$/, "")
  const named = model ?? (await modelsAt(baseUrl).catch(() => []))[0]
  if (named === undefined)
    throw new DreyError(`${baseUrl} does not list a model`, {
      hint: "Add --model NAME, or check the URL: it usually ends in /v1.",
    })
  return serverOffer({ name: baseUrl, label: `${named} at ${baseUrl}`, baseUrl, model: named })
}

function serverOffer({
  name,
  label,
  baseUrl,
  model,
}: {
  name: string
  label: string
  baseUrl: string
  model: string
}): WriterOffer {
  const { hostname } = new URL(baseUrl)
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(hostname)
  return {
    name,
    label,
    settings: { kind: "model", provider: "openai-compatible", baseUrl, model },
    cost: isHere ? "free" : `${thousands(episodeTokens.prompt)} tokens read and ${episodeTokens.answer} written`,
    reader: isHere ? undefined : hostname,
  }
}

const patienceMs = 500

/** The chat models that a server has. */
async function modelsAt(baseUrl: string): Promise<string[]> {
  const response = await fetch(`${baseUrl}/models`, { signal: AbortSignal.timeout(patienceMs), redirect: "error" })
  const document: unknown = response.ok ? await response.json() : undefined
  const models = isRecord(document) && Array.isArray(document.data) ? document.data : []
  return models.flatMap((each: unknown) =>
    isRecord(each) && typeof each.id === "string" && !/embed|rerank|whisper/i.test(each.id) ? [each.id] : [],
  )
}
