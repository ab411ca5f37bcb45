import { DreyError } from "../../errors.ts"
import { agentOfScope } from "../../formats/entry.ts"
import { parseQuery, type Query, queryOf, quoteValue, type SearchTerm } from "../../formats/query.ts"
import { foldText, matchesQuery } from "../../formats/query-match.ts"
import { instantOf } from "../../formats/timestamp.ts"
import { type LoadGuidance, type MemoryClass, parseMemoryClass } from "../../governance/classify.ts"
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

/** Finds memories, entries and skills by their words, best first. A query with a secret is not executed or sent anywhere. */
export async function searchMemory(
  context: GovernedContext,
  text: string,
  filters: SearchFilters = {},
): Promise<SearchResult[]> {
  const outcome = await searchGoverned(context, text, async () =>
    searchLocally(context, toQuery(text, filters), filters),
  )
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
  const here = await findHere()
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

function searchLocally(context: GovernedContext, query: Query, filters: SearchFilters): SearchResult[] {
  const wantedClass = filters.class === undefined ? undefined : parseMemoryClass(filters.class)
  const now = context.now()
  return listSearchable(context, { skills: true })
    .filter((item) => filters.all === true || item.loadGuidance !== "ARCHIVE")
    .filter((item) => wantedClass === undefined || item.class === wantedClass)
    .filter((item) => filters.agent === undefined || isOfAgent(item, filters.agent))
    .filter(
      (item) =>
        item.source !== "skills" ||
        item.stored !== undefined ||
        query.filters.every(({ key }) => key === "source" || key === "scope"),
    )
    .filter((item) => matchesQuery({ terms: [], filters: query.filters }, item, now))
    .map((item) => ({ item, score: scoreTerms(query.terms, item.entry.title, item.body) }))
    .filter(({ score }) => score > 0)
    .sort(
      (one, other) =>
        other.score - one.score ||
        instantOf(other.item.entry.timestamp) - instantOf(one.item.entry.timestamp) ||
        (one.item.id < other.item.id ? -1 : 1),
    )
    .map(({ item, score }) => ({
      id: item.id,
      class: item.class,
      loadGuidance: item.loadGuidance,
      title: item.entry.title,
      path: item.path,
      snippet: snippetOf(query.terms, item.body, item.entry.title),
      provider: "local",
      score,
      source: item.source,
      line: item.line,
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

/** Combines the query text with the separate filters. */
function toQuery(text: string, filters: SearchFilters): Query {
  const pairs: [string, string | undefined][] = [
    ["type", filters.type],
    ["author", filters.author],
    ["after", filters.after],
    ["before", filters.before],
    ["recent", filters.recent],
    ["scope", filters.scope],
    ["source", filters.source],
    ...(filters.tags ?? []).map((tag): [string, string] => ["tag", tag]),
  ]
  const given = pairs.flatMap(([key, value]) => (value === undefined ? [] : [`${key}:${quoteValue(value)}`]))
  const wanted = parseQuery(given.join(" "))
  if (wanted.kind === "invalid") throw new DreyError(wanted.problems.map(({ message }) => message).join(" "))
  const { terms, filters: written } = queryOf(text)
  return { terms, filters: [...wanted.query.filters, ...written] }
}

function isOfAgent(item: Searchable, agent: string): boolean {
  const name = agent.trim().toLowerCase()
  return item.path.toLowerCase().includes(`/agents/${name}/`) || agentOfScope(item.entry.scope) === name
}

/**
 * Scores a text against query terms: 0 if a term is missing or an excluded one occurs. Words match in any order and as
 * prefixes; a quoted phrase is one term. A hit in the title counts three times.
 */
function scoreTerms(terms: readonly SearchTerm[], title: string, body: string): number {
  const foldedTitle = foldText(title)
  const foldedBody = foldText(body)
  let score = 1
  for (const { text, negated } of terms) {
    const term = foldText(text)
    const hits = 3 * countStarts(foldedTitle, term) + Math.min(5, countStarts(foldedBody, term))
    if (hits > 0 === negated) return 0
    score += negated ? 0 : hits
  }
  return score
}

/** The line that matched, at most 240 characters. */
function snippetOf(terms: readonly SearchTerm[], body: string, fallback: string): string {
  const wanted = terms.filter(({ negated }) => !negated).map(({ text }) => foldText(text))
  const lines = body.split(/\r?\n/).filter((line) => line.trim() !== "")
  const hits = lines.map((line) => wanted.filter((term) => countStarts(foldText(line), term) > 0).length)
  const best = lines[hits.indexOf(Math.max(...hits))]
  return (best ?? fallback).trim().slice(0, 240)
}

/** How often a term occurs at the start of a word. */
function countStarts(text: string, term: string): number {
  if (term === "") return 1
  let count = 0
  for (let at = text.indexOf(term); at !== -1; at = text.indexOf(term, at + term.length)) {
    if (at === 0 || !isWordPart(text.charAt(at - 1)) || !isWordPart(term.charAt(0))) count++
  }
  return count
}

function isWordPart(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character)
}
