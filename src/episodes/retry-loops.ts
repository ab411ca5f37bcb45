import type { EpisodeEvent } from "./episode.ts"
import { attemptOf, isFailure, isSuccess } from "./failure.ts"

/** Related failures by index, and the success of the same attempt that ended them. */
export type FailureChain = {
  attempts: Set<string>
  fingerprints: Set<string>
  failures: number[]
  success: number | undefined
}

/** Two or more failures of the same attempt or with the same fingerprint, without a success of that attempt between them; edits do not break a loop. */
export function retryLoopsOf(events: readonly EpisodeEvent[]): number[][] {
  return failureChainsOf(events)
    .map(({ failures }) => failures)
    .filter((failures) => failures.length >= 2)
}

/** Every failure of an episode in its chain, including single ones, in order. */
export function failureChainsOf(events: readonly EpisodeEvent[]): FailureChain[] {
  const chains: FailureChain[] = []
  for (const [index, event] of events.entries()) {
    if (isFailure(event)) addFailure(chains, event, index)
    else if (isSuccess(event)) closeChains(chains, event, index)
  }
  return chains
}

function addFailure(chains: FailureChain[], event: EpisodeEvent, index: number): void {
  const attempt = attemptOf(event)
  const open = chains.filter(({ success }) => success === undefined)
  const chain =
    open.find(({ fingerprints }) => !looks(event) && fingerprints.has(event.fingerprint ?? "")) ??
    open.find(({ attempts }) => attempt !== undefined && attempts.has(attempt)) ??
    begin(chains)
  chain.failures.push(index)
  if (attempt !== undefined) chain.attempts.add(attempt)
  if (event.fingerprint !== undefined) chain.fingerprints.add(event.fingerprint)
}

/** "File not found" for two files is the same message without being related. */
function looks({ action }: EpisodeEvent): boolean {
  return action === "read" || action === "search"
}

function begin(chains: FailureChain[]): FailureChain {
  const chain: FailureChain = { attempts: new Set(), fingerprints: new Set(), failures: [], success: undefined }
  chains.push(chain)
  return chain
}

function closeChains(chains: FailureChain[], event: EpisodeEvent, index: number): void {
  const attempt = attemptOf(event)
  if (attempt === undefined) return
  for (const chain of chains) if (chain.success === undefined && chain.attempts.has(attempt)) chain.success = index
}
