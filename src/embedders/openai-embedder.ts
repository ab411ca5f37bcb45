import { DreyError } from "../errors.ts"
import { type Embedder, toUnitLength } from "./embedder.ts"

export type OpenAiOptions = {
  /** Up to and with the version: https://api.openai.com/v1, http://127.0.0.1:11434/v1 … */
  baseUrl: string
  model: string
  dimensions: number
  /** Asks the model for this many dimensions; models that cannot shorten their vectors refuse the question. */
  askForDimensions?: boolean
  key?: string
  timeoutMs?: number
}

/** Any endpoint that speaks OpenAI's `/embeddings`. Errors carry neither the texts nor the key. */
export function openAiEmbedder(options: OpenAiOptions): Embedder {
  return {
    id: `openai:${options.model}:${options.dimensions}`,
    dimensions: options.dimensions,
    embed: async (texts) => {
      const vectors: Float32Array[] = []
      for (let start = 0; start < texts.length; start += batchSize) {
        vectors.push(...(await embedBatch(texts.slice(start, start + batchSize), options)))
      }
      return vectors
    },
  }
}

const batchSize = 64

async function embedBatch(texts: string[], options: OpenAiOptions): Promise<Float32Array[]> {
  const answer = await ask(texts, options)
  const data = fieldOf(answer, "data")
  if (!Array.isArray(data)) throw endpointError(options, "answered without vectors")
  if (data.length !== texts.length)
    throw endpointError(options, `sent ${data.length} vectors for ${texts.length} texts`)
  const vectors = new Array<Float32Array | undefined>(texts.length)
  data.forEach((entry: unknown, position) => {
    const index = fieldOf(entry, "index")
    vectors[typeof index === "number" ? index : position] = toVector(fieldOf(entry, "embedding"), options)
  })
  return Array.from(vectors, (vector) => {
    if (!vector) throw endpointError(options, "sent two vectors for one text")
    return vector
  })
}

function toVector(values: unknown, options: OpenAiOptions): Float32Array {
  if (!Array.isArray(values) || !values.every((value) => typeof value === "number" && Number.isFinite(value))) {
    throw endpointError(options, "sent a vector that is not a list of numbers")
  }
  if (values.length !== options.dimensions) {
    throw endpointError(options, `sent ${values.length} dimensions instead of ${options.dimensions}`)
  }
  return toUnitLength(Float32Array.from(values))
}

async function ask(texts: string[], options: OpenAiOptions): Promise<unknown> {
  const { model, dimensions } = options
  const timeoutMs = options.timeoutMs ?? 30_000
  let response: Response
  try {
    response = await fetch(`${options.baseUrl.replace(/\/+$/, "")}/embeddings`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
      },
      body: JSON.stringify({
        model,
        input: texts,
        encoding_format: "float",
        ...(options.askForDimensions ? { dimensions } : {}),
      }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.ok) return await response.json()
  } catch (error) {
    throw endpointError(options, troubleOf(error, timeoutMs))
  }
  await response.body?.cancel()
  throw endpointError(options, `refused with status ${response.status}`, hintFor(response.status))
}

/** No `cause` and nothing of the answer: either may quote the texts or the key. */
function endpointError({ baseUrl, model }: OpenAiOptions, what: string, hint?: string): DreyError {
  return new DreyError(
    `The embedding endpoint at ${hostOf(baseUrl)} ${what} (model ${model})`,
    hint === undefined ? {} : { hint },
  )
}

/** A URL may carry credentials before its host and keys after it. */
function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : "an address that is not a URL"
}

function troubleOf(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === "TimeoutError") return `did not answer within ${timeoutMs} ms`
  if (error instanceof SyntaxError) return "did not answer in JSON"
  return "could not be reached"
}

function hintFor(status: number): string {
  if (status === 401 || status === 403) return "Check the key."
  if (status === 404) return "Check the base URL and the name of the model."
  if (status === 429) return "It asks for fewer requests; try again later."
  return "Try again later, or do without the endpoint: recall works on this machine alone."
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
}
