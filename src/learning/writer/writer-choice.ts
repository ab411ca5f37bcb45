import type { LanguageModel } from "ai"
import type { ModelProvider, WriterSettings } from "../../config.ts"
import { DreyError } from "../../errors.ts"
import type { Writer } from "../../memories/writer.ts"
import { rulesWriter } from "./rules/rules-writer.ts"

/** Opens the configured writer. A key alone sends nothing anywhere: without a configured model, rules are used. */
export async function openWriter(settings: WriterSettings, environment: NodeJS.ProcessEnv): Promise<Writer> {
  switch (settings.kind) {
    case "rules":
      return rulesWriter()
    case "command":
      return openCommandWriter(settings, environment)
    case "model":
      return openModelWriter(settings, environment)
    case "auto":
      return canAskModel(settings, environment) ? openModelWriter(settings, environment) : rulesWriter()
  }
}

const keyNames: Record<ModelProvider, string> = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  google: "GOOGLE_GENERATIVE_AI_API_KEY",
  "openai-compatible": "DREY_WRITER_API_KEY", // its own variable: no other provider's key is sent to a server configured in a file
}

function canAskModel(settings: WriterSettings, environment: NodeJS.ProcessEnv): boolean {
  const provider = providerOf(settings, environment)
  if (settings.model === undefined || provider === undefined) return false
  return provider === "openai-compatible" ? settings.baseUrl !== undefined : isSet(environment, keyNames[provider])
}

async function openModelWriter(settings: WriterSettings, environment: NodeJS.ProcessEnv): Promise<Writer> {
  const { model, baseUrl, timeoutMs } = settings
  const provider = providerOf(settings, environment)
  if (model === undefined || model === "") {
    throw new DreyError("The model writer needs a model", {
      hint: 'Set "writer.model" in config.json.',
    })
  }
  if (provider === undefined) {
    throw new DreyError(`The provider of model ${model} is unknown`, {
      hint: `Set "writer.provider" in config.json to one of ${Object.keys(keyNames).join(", ")}.`,
    })
  }
  if (provider === "openai-compatible" && baseUrl === undefined) {
    throw new DreyError("An OpenAI-compatible model needs a URL", {
      hint: 'Set "writer.baseUrl" in config.json, for example to http://localhost:11434/v1.',
    })
  }
  const apiKey = environment[keyNames[provider]]?.trim() ?? ""
  if (apiKey === "" && provider !== "openai-compatible") {
    throw new DreyError(`The model writer needs ${keyNames[provider]} in the environment`, {
      hint: 'Export the key, or set "writer.kind" to "rules" in config.json to learn without a model.',
    })
  }
  const { modelWriter } = await import("./model-writer.ts")
  return modelWriter({
    provider,
    model,
    apiKey,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
}

async function openCommandWriter(settings: WriterSettings, environment: NodeJS.ProcessEnv): Promise<Writer> {
  const { command = [], timeoutMs } = settings
  if (command.length === 0 || command[0] === "") {
    throw new DreyError("The command writer needs a command", {
      hint: 'Set "writer.command" in config.json, for example to ["claude", "-p"].',
    })
  }
  const { commandWriter } = await import("./command-writer.ts")
  return commandWriter({ command, environment, ...(timeoutMs !== undefined && { timeoutMs }) })
}

/** As configured; else by the model's name; else the only one with a key. */
function providerOf(
  { provider, model = "" }: WriterSettings,
  environment: NodeJS.ProcessEnv,
): ModelProvider | undefined {
  if (provider !== undefined) return provider
  if (/^claude/i.test(model)) return "anthropic"
  if (/^gemini/i.test(model)) return "google"
  if (/^(?:gpt|chatgpt|o\d)/i.test(model)) return "openai"
  const withKey = (["anthropic", "openai", "google"] as const).filter((each) => isSet(environment, keyNames[each]))
  return withKey.length === 1 ? withKey[0] : undefined
}

function isSet(environment: NodeJS.ProcessEnv, name: string): boolean {
  return (environment[name]?.trim() ?? "") !== ""
}

type ModelAddress = { provider: ModelProvider; model: string; baseUrl?: string; apiKey?: string }

/**
 * @internal Opens a provider's model; loads only that provider's package. Not in the package's declarations, which have
 * no model types.
 */
export async function languageModel({
  provider,
  model,
  baseUrl = "",
  apiKey = "",
}: ModelAddress): Promise<LanguageModel> {
  const settings = { apiKey, ...(baseUrl !== "" && { baseURL: baseUrl }) }
  switch (provider) {
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic(settings)(model)
    case "google":
      return (await import("@ai-sdk/google")).createGoogleGenerativeAI(settings)(model)
    case "openai":
      return (await import("@ai-sdk/openai")).createOpenAI(settings).chat(model) // the newer API stores what it is sent
    case "openai-compatible":
      return (await import("@ai-sdk/openai-compatible")).createOpenAICompatible({
        name: "openai-compatible",
        baseURL: baseUrl,
        supportsStructuredOutputs: true,
        ...(apiKey !== "" && { apiKey }),
      })(model)
  }
}
