import { type Query, queryOf, type SearchTerm } from "../../formats/query.ts"
import { foldText, matchesQuery } from "../../formats/query-match.ts"
import { instantOf } from "../../formats/timestamp.ts"
import type { LoadGuidance, MemoryClass } from "../../governance/classify.ts"
import { clearText } from "../../governance/cleared.ts"
import { auditReads, type GovernedContext, settingsOf } from "./governed-context.ts"
import { loadIndex } from "./load-index.ts"
import { listSearchable, type Searchable } from "./memory-reader.ts"
import { adapterName, copilotUnavailable, providerFailure } from "./providers.ts"

export type SearchFilters = {
  class?: string | undefined
  type?: string | undefined
  author?: string | undefined
  after?: string | undefined
  before?: string | undefined
  recent?: string | undefined
  tags?: string[] | undefined
  scope?: string | undefined
  source?: string | undefined
  /** Only this agent's memories: its history and entries scoped to it. */
  agent?: string | undefined
  /** Include archived and superseded entries. */
  all?: boolean | undefined
}

/** A result in Squad's format, with its location. */
export type SearchResult = {
  id: string
  class: MemoryClass
  loadGuidance: LoadGuidance
  title: string
  path: string
  snippet: string
  provider: string
  score?: number
  source?: Searchable["source"]
  line?: number
}

/** Finds memories, entries and skills without an index, for Squad's SDK, whose folders may lie anywhere. */
export async function searchMemory(context: GovernedContext, text: string): Promise<SearchResult[]> {
  const outcome = await searchGoverned(context, text, async () => searchLocally(context, queryOf(text)))
  return outcome.kind === "found" ? [...outcome.here, ...outcome.elsewhere] : []
}

/** `elsewhere` are results from the host's memory or a provider. */
export type GovernedSearch<Hit> =
  | { kind: "found"; here: Hit[]; elsewhere: SearchResult[] }
  | { kind: "refused"; class: MemoryClass; reason: string }

/** Searches with the given local search, then at the providers, and audits it. */
export async function searchGoverned<Hit extends { id: string }>(
  context: GovernedContext,
  text: string,
  findHere: () => Promise<Hit[]>,
): Promise<GovernedSearch<Hit>> {
  const config = settingsOf(context)
  const refuse = async (memoryClass: MemoryClass, reason: string, provider?: string): Promise<GovernedSearch<Hit>> => {
    const title = "Rejected governed memory search"
    const record = { action: "reject", class: memoryClass, title, reason } as const
    await auditReads(context, [{ ...record, ...(provider === undefined ? {} : { provider }) }])
    return { kind: "refused", class: memoryClass, reason }
  }
  const clearing = clearText(text, "allow")
  if (clearing.kind === "refused") {
    return refuse("FORBIDDEN", `Rejected as forbidden memory: ${clearing.reason}`)
  }
  if (config.defaultProvider === "copilot") return refuse("COPILOT_MEMORY", copilotUnavailable, "copilot")
  const { records } = loadIndex(context.store, context.folder, context.now())
  const deleted = new Set(records.filter(({ status }) => status === "deleted").map(({ id }) => id))
  const here = (await findHere()).filter(({ id }) => !deleted.has(id)) // a killed process may have left the file
  const failures: { reason: string; provider: string }[] = []
  const hosted = config.adapter.enabled ? await searchAdapter(context, text, failures) : []
  const known = new Set([...here, ...hosted].map(({ id }) => id))
  const elsewhere = [...hosted, ...(await searchProviders(context, text, known, failures))]
  const count = here.length + elsewhere.length
  await auditReads(context, [
    ...failures.map((failure) => ({ action: "provider-error", class: "LOCAL", ...failure }) as const),
    { action: "search", reason: `Search returned ${count} result(s)` },
  ])
  return { kind: "found", here, elsewhere }
}

function searchLocally(context: GovernedContext, query: Query): SearchResult[] {
  const now = context.now()
  return listSearchable(context)
    .filter((item) => item.loadGuidance !== "ARCHIVE")
    .filter((item) => matchesQuery({ terms: [], filters: query.filters }, item, now) && hasTerms(query.terms, item))
    .sort((one, other) => instantOf(other.entry.timestamp) - instantOf(one.entry.timestamp))
    .map(({ id, class: memoryClass, loadGuidance, entry, path, body, source, line }) => ({
      id,
      class: memoryClass,
      loadGuidance,
      title: entry.title,
      path,
      snippet: snippetOf(query.terms, body, entry.title),
      provider: "local",
      source,
      line,
    }))
}

/** Searches the host's memory; unknown ids, and ids that were deleted here, are dropped. */
async function searchAdapter(
  context: GovernedContext,
  text: string,
  failures: { reason: string; provider: string }[],
): Promise<SearchResult[]> {
  const { client } = context
  if (!client) return []
  try {
    const { records } = loadIndex(context.store, context.folder, context.now())
    const known = new Set(
      records.filter((each) => each.class === "COPILOT_MEMORY" && each.status === "active").map(({ id }) => id),
    )
    return (await client.search(text))
      .filter(({ id }) => known.has(id))
      .map(({ id, title, snippet, path }) => ({
        id,
        class: "COPILOT_MEMORY",
        loadGuidance: "ON-DEMAND",
        title,
        path: path ?? `host-injected-copilot-adapter:${id}`,
        snippet: snippet.slice(0, 240),
        provider: adapterName,
      }))
  } catch (error) {
    failures.push({ reason: providerFailure(adapterName, "search", error), provider: adapterName })
    return []
  }
}

async function searchProviders(
  context: GovernedContext,
  text: string,
  known: ReadonlySet<string>,
  failures: { reason: string; provider: string }[],
): Promise<SearchResult[]> {
  const seen = new Set(known)
  const found: SearchResult[] = []
  for (const provider of context.providers) {
    try {
      for (const hit of await provider.search(text)) {
        if (seen.has(hit.id)) continue
        seen.add(hit.id)
        const { id, class: memoryClass, loadGuidance, title, path = `${provider.id}:${id}`, score } = hit
        const snippet = hit.snippet.slice(0, 240)
        const result = { id, class: memoryClass, loadGuidance, title, path, snippet, provider: provider.id }
        found.push(score === undefined ? result : { ...result, score })
      }
    } catch (error) {
      failures.push({ reason: providerFailure(provider.name, "search", error), provider: provider.id })
    }
  }
  return found
}

function hasTerms(terms: readonly SearchTerm[], { entry, body }: Searchable): boolean {
  const searched = foldText(`${entry.title}\n${body}`)
  return terms.every(({ text, negated }) => searched.includes(foldText(text)) !== negated)
}

/** The line with most of the words, at most 240 characters. */
function snippetOf(terms: readonly SearchTerm[], body: string, fallback: string): string {
  const wanted = terms.filter(({ negated }) => !negated).map(({ text }) => foldText(text))
  const lines = body.split(/\r?\n/).filter((line) => line.trim() !== "")
  const hits = lines.map((line) => wanted.filter((term) => foldText(line).includes(term)).length)
  const best = lines[hits.indexOf(Math.max(...hits))]
  return (best ?? fallback).trim().slice(0, 240)
}
