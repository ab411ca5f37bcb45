import { dirname, resolve } from "node:path"
import { z } from "zod"
import { parseJson } from "../disk/json.ts"
import { readTextFile, settingsBytes } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import { builtInPolicy, mergePolicies, type Policy } from "../formats/policy.ts"
import { parsePolicy } from "../formats/policy-toml.ts"
import { rulesWriter } from "../learning/writer/rules/rules-writer.ts"
import type { Writer } from "../memories/writer.ts"

/** How organisations learn: with which writer, and by which policy. */
export type OrganisationLearning = {
  writerOf(slug: string): Promise<Writer>
  policyOf(slug: string): Policy
}

const writerSchema = z.strictObject({
  provider: z.enum(["anthropic", "openai", "google", "openai-compatible"]),
  model: z.string().min(1),
  baseUrl: z.url().optional(),
  /** The environment variable of the server that has the key; the key itself is in no file and no database. */
  keyVariable: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, "must be the name of an environment variable")
    .optional(),
  timeoutMs: z.number().positive().optional(),
})
const fileSchema = z.record(
  z.string(),
  z.strictObject({ writer: writerSchema.optional(), policy: z.string().optional() }),
)

type Settings = z.infer<typeof fileSchema>[string]

/** Every organisation learns by rules and the built-in policy. */
export const builtInLearning: OrganisationLearning = {
  writerOf: async () => rulesWriter(),
  policyOf: () => builtInPolicy,
}

/** Reads the operator's file: settings by the short name of an organisation, `*` for all others. Complete before the server starts. */
export function readOrganisationLearning(path: string, environment: NodeJS.ProcessEnv): OrganisationLearning {
  const parsed = fileSchema.safeParse(parseJson(readTextFile(path, { maxBytes: settingsBytes }).text, path))
  if (!parsed.success) throw new DreyError(`${path} cannot be used: ${z.prettifyError(parsed.error)}`)
  const policies = new Map<string, Policy>()
  for (const [slug, settings] of Object.entries(parsed.data)) {
    if (settings.policy !== undefined) policies.set(slug, policyIn(resolve(dirname(path), settings.policy)))
    if (settings.writer) requireKey(settings.writer, environment, `${path}: ${slug}`)
  }
  const writers = new Map<string, Promise<Writer>>()
  const entryOf = (slug: string) => (Object.hasOwn(parsed.data, slug) ? slug : "*")
  return {
    policyOf: (slug) => policies.get(entryOf(slug)) ?? builtInPolicy,
    writerOf(slug) {
      const entry = entryOf(slug)
      const known = writers.get(entry) ?? openWriterOf(parsed.data[entry], environment)
      writers.set(entry, known)
      return known
    },
  }
}

function policyIn(path: string): Policy {
  const { policy, problems, warnings } = parsePolicy(readTextFile(path, { maxBytes: settingsBytes }).text, path)
  const wrong = [...problems, ...warnings]
  if (wrong.length > 0) throw new DreyError(wrong.join("\n"))
  return mergePolicies([policy])
}

function requireKey(
  { provider, keyVariable, baseUrl }: NonNullable<Settings["writer"]>,
  environment: NodeJS.ProcessEnv,
  where: string,
): void {
  if (provider === "openai-compatible" && baseUrl === undefined)
    throw new DreyError(`${where}: an OpenAI-compatible model needs "baseUrl"`)
  if (provider !== "openai-compatible" && keyVariable === undefined)
    throw new DreyError(`${where}: the writer needs "keyVariable", the environment variable with its key`)
  if (keyVariable !== undefined && (environment[keyVariable]?.trim() ?? "") === "")
    throw new DreyError(`${where}: ${keyVariable} is not set in the server's environment`)
}

async function openWriterOf(settings: Settings | undefined, environment: NodeJS.ProcessEnv): Promise<Writer> {
  if (settings?.writer === undefined) return rulesWriter()
  const { modelWriter } = await import("../learning/writer/model-writer.ts")
  const { provider, model, baseUrl, keyVariable, timeoutMs } = settings.writer
  return modelWriter({
    provider,
    model,
    apiKey: environment[keyVariable ?? ""]?.trim() ?? "",
    ...(baseUrl !== undefined && { baseUrl }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
}
