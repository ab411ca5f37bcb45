import { randomUUID } from "node:crypto"
import type { Classification, LoadGuidance, MemoryClass } from "../../governance/classify.ts"
import type { Cleared } from "../../governance/cleared.ts"

/** A write to a provider: only texts that passed the governance check. */
export type ProviderWrite = {
  content: Cleared
  title: Cleared
  author?: Cleared
  metadata?: Record<string, string>
  classification: Classification
}

export type ProviderHit = { id: string; title: string; snippet: string; path?: string }

/** An external memory store that keeps copies of some classes. */
export type MemoryProvider = {
  readonly id: string
  readonly name: string
  readonly supportedClasses: readonly MemoryClass[]
  status(): Promise<{ id: string; name: string; available: boolean; reason?: string }>
  write(request: ProviderWrite): Promise<{ id: string; path?: string }>
  search(query: string): Promise<(ProviderHit & { class: MemoryClass; loadGuidance: LoadGuidance; score?: number })[]>
  delete(id: string): Promise<boolean>
}

/** A client for COPILOT_MEMORY that a host program may pass in. Drey has no endpoint of its own. */
export type AdapterClient = {
  write(request: ProviderWrite): Promise<{ id: string; path?: string }>
  search(query: string): Promise<ProviderHit[]>
  delete(id: string): Promise<boolean>
}

export const adapterName = "hostInjectedCopilotAdapter"

export const copilotUnavailable =
  "Real Copilot Memory API unavailable: there is no callable API for it. Drey does not stand in for provider=copilot; use hostInjectedCopilotAdapter when a host supplies a client."

export const adapterWithoutClient =
  "hostInjectedCopilotAdapter is enabled, but no host-injected Copilot memory client was supplied. This is not real provider=copilot persistence."

export const adapterDisabled =
  "COPILOT_MEMORY writes are disabled unless explicitly configured with hostInjectedCopilotAdapter. Real provider=copilot is unavailable locally."

export const approvalRequired = "Copilot Memory writes require explicit approval"

/** The audited reason of a provider's failure: its kind, never its message, which may quote the content. */
export function providerFailure(name: string, operation: "write" | "search" | "delete", error: unknown): string {
  const kind = error instanceof Error ? error.name : "UnknownError"
  return `${name} provider ${operation} failed (${kind}); raw provider error text omitted`
}

type Kept = {
  title: string
  content: string
  class: MemoryClass
  loadGuidance: Classification["loadGuidance"]
  path: string
}

/** A provider that keeps a limited number of entries in memory and evicts the oldest. */
export class InMemoryProvider implements MemoryProvider {
  readonly supportedClasses: readonly MemoryClass[] = ["LOCAL", "DECISION", "POLICY"]
  readonly id: string
  readonly name: string
  private readonly kept = new Map<string, Kept>()
  private readonly maxEntries: number
  private readonly placeOf: (request: ProviderWrite) => string

  constructor(id: string, name: string, maxEntries: number, placeOf: (request: ProviderWrite) => string) {
    this.id = id
    this.name = name
    this.maxEntries = maxEntries
    this.placeOf = placeOf
  }

  get size(): number {
    return this.kept.size
  }

  async status(): Promise<{ id: string; name: string; available: boolean }> {
    return { id: this.id, name: this.name, available: true }
  }

  async write(request: ProviderWrite): Promise<{ id: string; path: string }> {
    const id = `${this.id}-${randomUUID()}`
    const path = `${this.id}:${toSegment(this.placeOf(request))}:${id}`
    const { title, content, classification } = request
    this.kept.set(id, { title, content, class: classification.class, loadGuidance: classification.loadGuidance, path })
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= this.maxEntries) break
      this.kept.delete(oldest)
    }
    return { id, path }
  }

  async search(query: string): ReturnType<MemoryProvider["search"]> {
    const wanted = query.toLowerCase()
    const words = wanted.split(/[^a-z0-9]+/).filter((word) => word.length >= 4)
    return [...this.kept]
      .map(([id, entry]) => ({ id, entry, score: countWords(words, entry) }))
      .filter(({ entry, score }) => score > 0 || `${entry.title}\n${entry.content}`.toLowerCase().includes(wanted))
      .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1))
      .map(({ id, entry, score }) => {
        const line = entry.content.split("\n").find((each) => each.toLowerCase().includes(wanted)) ?? entry.title
        const { title, path, class: memoryClass, loadGuidance } = entry
        return { id, title, snippet: line.slice(0, 240), path, class: memoryClass, loadGuidance, score }
      })
  }

  async delete(id: string): Promise<boolean> {
    return this.kept.delete(id)
  }
}

function toSegment(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 40) || "default"
  )
}

function countWords(words: readonly string[], { title, content }: Kept): number {
  const held = new Set(`${title} ${content}`.toLowerCase().split(/[^a-z0-9]+/))
  return words.filter((word) => held.has(word)).length
}
