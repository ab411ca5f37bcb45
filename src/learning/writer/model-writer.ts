import type { ModelProvider } from "../../config.ts"
import { clip } from "../../formats/text.ts"
import { scrubText } from "../../governance/redaction.ts"
import type { Writer } from "../../memories/writer.ts"
import { answerJsonSchema, longestAnswer, type WriterPrompt } from "./prompt.ts"
import { type AskModel, answerEpisode, pauseUnless, type ModelReply as Reply, type Wait } from "./writer-answer.ts"
import { languageModel } from "./writer-choice.ts"

export type ModelWriterOptions = {
  provider: ModelProvider
  model: string
  /** The provider's URL, if not its default; required for `openai-compatible`. */
  baseUrl?: string
  apiKey?: string
  timeoutMs?: number
  /** How to wait between retries; tests do not wait. */
  pause?: Wait
}

/** A writer that asks a language model, one call per episode. The first call loads the AI SDK. */
export function modelWriter(options: ModelWriterOptions): Writer {
  let takesSchema = true
  return {
    id: `model:${options.provider}/${options.model}`,
    async write(input, signal, onReply) {
      const ask: AskModel = async (prompt, wasCutOff) => {
        const request = { prompt, mostTokens: wasCutOff ? longestAnswer * 4 : longestAnswer, signal }
        const reply = await askModel(options, request, takesSchema)
        if (reply.kind !== "schema refused") return reply
        takesSchema = false // cached: the server would refuse it for every episode
        const plain = await askModel(options, request, takesSchema)
        return plain.kind === "schema refused" ? { kind: "down", reason: plain.reason } : plain
      }
      return answerEpisode(input, ask, { pause: options.pause ?? pauseUnless(signal), onReply })
    },
    async ask(question, signal) {
      const prompt = { system: question.system, prompt: scrubText(question.prompt) }
      const reply = await askModel(options, { prompt, mostTokens: longestAnswer, signal }, false)
      return reply.kind === "text" ? reply : { kind: "failed", reason: reply.reason }
    },
  }
}

type Request = { prompt: WriterPrompt; mostTokens: number; signal: AbortSignal | undefined }

/** Some OpenAI-compatible servers do not support schemas; the instructions also describe the answer. */
type SchemaReply = Reply | { kind: "schema refused"; reason: string }

async function askModel(options: ModelWriterOptions, request: Request, withSchema: boolean): Promise<SchemaReply> {
  const [{ generateText, jsonSchema, NoObjectGeneratedError, Output }, model] = await Promise.all([
    import("ai"),
    languageModel(options),
  ])
  globalThis.AI_SDK_LOG_WARNINGS = false
  const timeout = AbortSignal.timeout(options.timeoutMs ?? 60_000)
  try {
    const { text, finishReason } = await generateText({
      model,
      system: request.prompt.system,
      prompt: request.prompt.prompt,
      maxOutputTokens: request.mostTokens,
      maxRetries: 0, // retries are handled here
      abortSignal: request.signal ? AbortSignal.any([timeout, request.signal]) : timeout,
      ...(withSchema && { output: Output.object({ schema: jsonSchema(answerJsonSchema()), name: "operations" }) }),
    })
    return toReply(text, finishReason)
  } catch (error) {
    if (NoObjectGeneratedError.isInstance(error)) return toReply(error.text ?? "", error.finishReason)
    if (request.signal?.aborted) return { kind: "down", reason: "cancelled before the model answered" }
    if (timeout.aborted) return { kind: "down", reason: "the model did not answer in time" }
    return explainFailure(error, options.apiKey)
  }
}

function toReply(text: string, finishReason: string | undefined): Reply {
  if (finishReason === "content-filter") return { kind: "refused", reason: "the model declined to answer" }
  return { kind: "text", text, wasCutOff: finishReason === "length" }
}

async function explainFailure(error: unknown, apiKey: string | undefined): Promise<SchemaReply> {
  const { APICallError } = await import("ai")
  if (!APICallError.isInstance(error))
    return { kind: "down", reason: `the model's answer is invalid: ${wordsOf(error, apiKey)}` }
  const { statusCode: status, responseBody = "", responseHeaders = {} } = error
  if (status === undefined) return { kind: "down", reason: `the model cannot be reached: ${wordsOf(error, apiKey)}` }
  // The provider's own message may contain part of the key.
  if (status === 401 || status === 403) return { kind: "down", reason: `the provider refused the API key (${status})` }
  const reason = `the provider answered ${status}: ${wordsOf(error, apiKey)}`
  if (status === 429 || status === 529 || status >= 500) {
    const waitMs = readRetryAfter(responseHeaders)
    return { kind: "busy", reason, ...(waitMs !== undefined && { waitMs }) }
  }
  if (/content_filter|content_policy|invalid_prompt|safety/i.test(responseBody)) {
    return { kind: "refused", reason: "the provider's content filter declined to answer" }
  }
  if (/response_format|json_schema|structured|output_config|output_format/i.test(responseBody))
    return { kind: "schema refused", reason }
  return { kind: "down", reason }
}

/** Seconds, milliseconds or a date, depending on the provider. */
function readRetryAfter(headers: Record<string, string>): number | undefined {
  const exact = Number(headers["retry-after-ms"] ?? "x")
  if (exact >= 0) return exact
  const value = headers["retry-after"]
  if (value === undefined) return undefined
  const waitMs = Number(value) >= 0 ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined
}

function wordsOf(error: unknown, apiKey: string | undefined): string {
  const message = (error instanceof Error ? error.message : String(error)).split("\n", 1)[0] ?? ""
  return clip(scrubText(apiKey ? message.replaceAll(apiKey, "[key]") : message), 160)
}
