import type { LanguageModel } from "ai"

export const modelProviders = ["anthropic", "openai", "google", "openai-compatible"] as const
export type ModelProvider = (typeof modelProviders)[number]

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
