import { DreyError, exitCode } from "../../errors.ts"
import type { Classification } from "../../governance/classify.ts"
import { type Cleared, clearText, type PersonalDataPolicy } from "../../governance/cleared.ts"
import { withStore } from "../change.ts"
import { firstLine } from "./entry-file.ts"
import type { MemoryConfig } from "./memory-config.ts"
import { audit, type MemoryContext } from "./memory-context.ts"

export type WriteRequest = {
  content: string
  title?: string | undefined
  /** False if the title was derived from the content, so that it stays out of the audit. Default: true. */
  titleGiven?: boolean | undefined
  author?: string | undefined
  class?: string | undefined
  /** The user approved writing to an external memory. */
  approved?: boolean | undefined
  loadGuidance?: string | undefined
  metadata?: Record<string, string> | undefined
}

/** The outcome of a write in Squad's format. */
export type WriteResult =
  | { stored: true; id: string; classification: Classification; path: string }
  | { stored: false; classification: Classification }

/** What a promotion takes over from the memory it replaces. */
export type Successor = { of: string; createdAt: string }

/** Longer texts are documents: they belong in files and would not fit into a context. */
const mostBytes = 64 * 1024

export function requireContent({ content, title = "", author = "", metadata = {}, details = "" }: LongRequest): void {
  if (content.trim() === "") throw new DreyError("A memory needs some text")
  const texts = [content, title, author, details, ...Object.entries(metadata).flat()]
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes > mostBytes)
    throw new DreyError(`Not stored: the memory has ${Math.ceil(bytes / 1024)} KB, more than the limit of 64 KB`, {
      hint: "Store the conclusion, and keep the long text in a file that it refers to.",
      exitCode: exitCode.no,
    })
}

type LongRequest = WriteRequest & { details?: string | undefined }

export type ClearedTexts = {
  kind: "cleared"
  content: Cleared
  title: Cleared
  titleGiven: boolean
  author: Cleared
  metadata: Record<string, string>
}

/** Checks the texts of a request against governance and redacts personal data in each. */
export function clearRequest(
  request: WriteRequest,
  personalData: PersonalDataPolicy,
): ClearedTexts | { kind: "refused"; reason: string } {
  let reason: string | undefined
  const clear = (text: string): Cleared => {
    const clearing = clearText(text, personalData)
    if (clearing.kind === "cleared") return clearing.text
    reason ??= clearing.reason
    return "" as Cleared
  }
  const content = clear(request.content.trim())
  const given = request.title?.trim() ?? ""
  const title = clear(given || firstLine(content))
  const titleGiven = given !== "" && request.titleGiven !== false
  const author = clear(request.author?.trim() || "unknown")
  const metadata = Object.fromEntries(
    Object.entries(request.metadata ?? {}).map(([key, value]) => [clear(key), clear(String(value))]),
  )
  if (reason !== undefined) return { kind: "refused", reason }
  return { kind: "cleared", content, title, titleGiven, author, metadata }
}

/** Audits a rejection, without title or content. */
export async function refuse(
  context: MemoryContext,
  config: MemoryConfig,
  request: WriteRequest,
  classification: Classification,
  provider?: string,
): Promise<WriteResult> {
  const { class: memoryClass, reason } = classification
  await withStore(context.folder, () =>
    audit(context, config, {
      action: "reject",
      class: memoryClass,
      title: "Rejected governed memory",
      reason,
      actor: request.author,
      ...(provider === undefined ? {} : { provider }),
    }),
  )
  return { stored: false, classification: { ...classification, allowed: false } }
}
