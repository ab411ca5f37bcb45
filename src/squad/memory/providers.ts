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
