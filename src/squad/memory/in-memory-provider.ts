import { randomUUID } from "node:crypto"
import type { Classification, MemoryClass } from "../../governance/classify.ts"
import type { MemoryProvider, ProviderWrite } from "./providers.ts"

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
